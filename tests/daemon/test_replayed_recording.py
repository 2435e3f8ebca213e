"""A recording replayed fast through the real daemon, its clock running at that speed."""

import subprocess
import sys
from collections import Counter

import pytest

from support.exporter import Exporter, Samples, pick
from support.recordings import RECORDINGS, lines, records, scrapes
from support.servers import LoggedServer

RECORDING = "0.5.23-batch"
SPEED = 15.0
GAUGES = {
    "num_running_reqs": "sglang_server_running_requests",
    "num_queue_reqs": "sglang_server_queued_requests",
    "token_usage": "sglang_server_token_usage_ratio",
    "gen_throughput": "sglang_server_gen_throughput_tokens_per_second",
}
SAID: tuple[tuple[str, dict[str, str]], ...] = (
    ("running_requests", {}),
    ("queued_requests", {}),
    ("token_usage_ratio", {"pool": "kv"}),
    ("gen_throughput_tokens_per_second", {}),
)
Seen = tuple[float | None, ...]


def seen(page: Samples) -> Seen:
    return tuple(pick(page, ours) for ours in GAUGES.values())


def said() -> set[Seen]:
    """Return what the gauges are after each batch line of the recording."""
    server = LoggedServer()
    states: set[Seen] = set()
    for line in lines(RECORDING, "server.log"):
        server.read(line)
        if " batch" in line:
            states.add(tuple(server.labelled(name, labels) for name, labels in SAID))
    return states


def shown_by_the_server() -> set[Seen]:
    """Return what the server's own /metrics showed, rounded as the log rounds."""
    answers = (scrape.gauges for scrape in scrapes(RECORDING))
    return {
        tuple(round(gauges[name, ""], 2) for name in GAUGES) for gauges in answers if gauges.get(("gen_throughput", ""))
    }


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> list[Samples]:
    """Return a page for every few hundredths of a second of a whole replay, and one after it."""
    folder = tmp_path_factory.mktemp("replay")
    log, outputs = folder / "server.log", folder / "raw_responses.jsonl"
    command = [sys.executable, "-m", "sglang_exporter", "replay", RECORDINGS / RECORDING, "--into", folder]
    with Exporter(folder, "--log", log, "--outputs", outputs, "--total", "5000", speed=SPEED) as exporter:
        replay = subprocess.Popen([*map(str, command), "--speed", str(SPEED)], stderr=subprocess.DEVNULL)
        taken = []
        while replay.poll() is None:
            taken.append(exporter.page())
        assert replay.returncode == 0
        everything = sum(1 for _ in lines(RECORDING, "raw_responses.jsonl"))
        taken.append(
            exporter.page_when(lambda page: pick(page, "sglang_job_records_total") == everything, "all is read")
        )
    return taken


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_what_a_scrape_finds_is_what_the_server_said(pages: list[Samples]) -> None:
    """Every page shows the gauges as one line of the log left them, and the server showed the same after that line.

    A point is a gauge that the server's own /metrics and ours showed as the same batch line set it.
    """
    found = {gauges for page in pages if None not in (gauges := seen(page))}
    assert found <= said()
    same = found & shown_by_the_server()
    points = len(same) * len(GAUGES)
    print(f"{points} points compared: {len(same)} states of {len(found)} seen in {len(pages)} scrapes")
    assert points > 100


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_totals_equal_a_count_of_the_file(pages: list[Samples]) -> None:
    wanted = records(RECORDING)
    good = [record for record in wanted if "error" not in record]
    page = pages[-1]
    assert pick(page, "sglang_job_completions_total") == len(good)
    assert pick(page, "sglang_job_output_tokens_total") == sum(r["usage"]["completion_tokens"] for r in good)
    assert pick(page, "sglang_job_input_tokens_total") == sum(r["usage"]["prompt_tokens"] for r in good)
    errors = [v for (name, _), v in page.items() if name == "sglang_job_errors_total"]
    assert sum(errors) == len(wanted) - len(good)
    reasons = Counter(record["finish_reason"] for record in good)
    for reason in ("stop", "length", "tool_calls"):
        assert pick(page, "sglang_job_finish_reasons_total", reason=reason) == reasons[reason]
    assert pick(page, "sglang_job_done") == len({record["custom_id"] for record in wanted})


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_counters_never_fall(pages: list[Samples]) -> None:
    highest: Samples = {}
    for page in pages:
        counters = {series: value for series, value in page.items() if series[0].endswith("_total")}
        fallen = {series for series, value in counters.items() if value < highest.get(series, 0.0)}
        assert not fallen
        highest |= counters


@pytest.mark.slow
@pytest.mark.timeout(240)
def test_the_derived_throughput_ends_within_the_recorded_one(pages: list[Samples]) -> None:
    """Windows are absent until one has passed, then the proven speed of 2 minutes is never above the fastest ever."""
    rates = [pick(page, "sglang_job_output_tokens_per_second", window="2m") for page in pages]
    assert rates[0] is None
    good = sorted((r["finished_at"], r["usage"]["completion_tokens"]) for r in records(RECORDING) if "error" not in r)
    fastest = max(sum(n for at, n in good if start <= at < start + 120) / 120 for start, _ in good[::20])
    highest = max(rate for rate in rates if rate is not None)
    assert fastest * 0.9 < highest < fastest * 1.1
