"""Servers and jobs in a few words."""

from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.windows import windows
from sglang_exporter.web.words import job_words, server_words, source_words
from support.servers import LoggedServer, decode, start


def test_a_server_with_two_ranks() -> None:
    lines = [
        decode("10:00:00", running=4, queue=2, speed=1000.0, ranks=f" DP{dp}", usage=0.5 + dp / 4) for dp in (0, 1)
    ]
    server = LoggedServer().read(*lines)
    said = "steady, 8 running, 4 queued, 2,000 tok/s reported, KV cache 75% full"
    assert server_words(server.state, server.now, None) == said
    assert server_words(server.state, server.now + 60, None) == "stalled"


def test_a_server_that_starts_and_one_that_says_nothing() -> None:
    server = LoggedServer()
    assert server_words(server.state, 0, None) == "nothing said yet"
    assert server_words(server.read(start("10:00:00")).state, server.now, None) == "starting"


def test_a_job() -> None:
    state = JobState(JobConfig(files="x", total=1000), windows(["2m"]))
    assert job_words(state, 0.0) == "0 of 1,000 done"
    state.caught_up(0.0)
    for minute in range(1, 31):
        state.fold([Record(settles=True, completions=1)] * 6, minute * 60.0, live=True)
    assert (
        job_words(state, 1800.0)
        == "180 of 1,000 done, 0.1 completions/s over 2m, probably over at 1970-01-01 02:46 UTC"
    )


def test_a_source_in_trouble_goes_first() -> None:
    assert source_words(SourceState(up=True, caught_up=False, behind=5000)) == "catching up, 5,000 bytes to go"
    assert source_words(SourceState(up=False, caught_up=True)) == "not there, or not readable"
    assert source_words(SourceState(up=True, caught_up=True)) is None
