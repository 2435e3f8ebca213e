"""Where the server's own /metrics and its log differ by nature, and which of the two is right."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from support.recordings import lines, scrapes
from support.servers import LoggedServer, Samples

RUNNING = ("sglang_server_running_requests", ())
LONGEST_QUOTE = 31.0  # seconds: the shortest patience, and a second of the stamps


class Moment(NamedTuple):
    """A scrape, and our page at that moment."""

    gauges: dict[tuple[str, str], float]
    page: Samples
    silence: dict[str, float]  # seconds since the last batch line by DP rank
    phase: str | None


def moments(recording: str) -> Iterator[Moment]:
    server = LoggedServer()
    answered = scrapes(recording)
    for line in lines(recording, "server.log"):
        server.read(line)
        if '"GET /metrics ' in line:
            schedulers = server.state.engines[""].schedulers
            silence = {rank: server.now - s.last_batch for rank, s in schedulers.items() if s.last_batch}
            yield Moment(next(answered).gauges, server.page(), silence, server.phase())


@pytest.mark.parametrize("recording", ["0.4.6.post5-batch", "0.4.10.post2-batch", "0.5.23-batch"])
def test_idle_the_server_is_right_and_we_quote_its_last_line_for_half_a_minute_at_most(recording: str) -> None:
    """The server sets its gauges to 0 when idle (from 0.5.23 at once, before after 30 s); its log says nothing of it."""
    quoted = gone = 0
    for moment in moments(recording):
        if moment.gauges.get(("num_running_reqs", "")) != 0 or moment.silence.get("", 0.0) < 2:
            continue
        assert moment.phase != "stalled"
        if moment.silence[""] > LONGEST_QUOTE:
            assert RUNNING not in moment.page
            gone += 1
        else:
            quoted += 1
    print(f"{recording}: {quoted} scrapes of an idle server while we quoted its last line, {gone} after")
    assert quoted or recording != "0.5.23-batch"


def test_a_dead_rank_we_are_right_and_the_server_shows_its_last_values_for_ever() -> None:
    """One of two schedulers was killed: /metrics goes on showing what it last ran, the log has no line of it any more."""
    dead = [
        moment
        for moment in moments("0.5.23-dp2-tp2")
        if moment.gauges.get(("num_running_reqs", "1")) and moment.silence.get("1", 0.0) > LONGEST_QUOTE
    ]
    assert len(dead) > 30
    for moment in dead:
        assert ("sglang_server_running_requests", (("dp_rank", "1"),)) not in moment.page
        assert moment.page["sglang_server_schedulers", (("state", "silent"),)] >= 1
        assert moment.page["sglang_server_last_batch_timestamp_seconds", (("dp_rank", "1"),)]


@pytest.mark.parametrize("recording", ["0.4.6.post5-batch", "0.4.10.post2-batch", "0.5.23-batch"])
def test_restart_our_counters_go_on_and_gauges_of_the_dead_run_go(recording: str) -> None:
    """The server's counters begin again at 0 and it names no start time; the log has the line of each start."""
    server = LoggedServer()
    before = 0.0
    starts = 0
    for line in lines(recording, "server.log"):
        tokens = server.value("generated_tokens_total") or 0.0
        server.read(line)
        if "server_args=" in line:
            starts += 1
            assert (server.value("generated_tokens_total") or 0.0) == tokens >= before
            assert server.value("running_requests") is None
            assert server.phase() == "starting"
            before = tokens
    assert server.value("starts_total") == starts == 3
