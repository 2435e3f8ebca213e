"""What the page says of a server and of a job, by what /metrics has of them."""

import pytest

from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from support.made_page import NOW, add_source, html
from support.read_page import PageReader

SERVER = {"server": "a", "engine": "0", "dp_rank": "0"}
JOB = {"dataset": "math"}
Samples = list[tuple[str, dict[str, str], float]]


def said(prefix: str, samples: Samples) -> str:
    page = Page()
    for name, labels, value in samples:
        page.add(f"{prefix}{name}", Labels(labels), value)
    return PageReader(html(page, hours={"done": []})).text


def job(*samples: tuple[str, float], **labels: str) -> str:
    return said("sglang_job_", [(name, {**JOB, **labels}, value) for name, value in samples])


def server(*samples: tuple[str, dict[str, str], float]) -> str:
    return said("sglang_server_", [(name, {**SERVER, **labels}, value) for name, labels, value in samples])


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        ([("done", 7.0)], ["no total", "7 done", "no total was given (--total)"]),
        ([("done", 7.0), ("expected", 7.0)], ["100.0 % 7 of 7 done, 0 left", "It is done."]),
        ([("done", 7.0), ("expected", 8.0)], ["87.5 % 7 of 8 done, 1 left", "that takes ten minutes and five records"]),
        ([("done", 7.0), ("expected", 7.0), ("excess", 3.0)], ["Beyond the total 3"]),
        ([("done", 0.0), ("duplicates_total", 4.0)], ["Repeated records 4"]),
        ([("done", 0.0), ("last_completion_timestamp_seconds", NOW - 90)], ["Last completion 90 s ago"]),
    ],
)
def test_a_job(samples: list[tuple[str, float]], words: list[str]) -> None:
    text = job(*samples)
    assert [word for word in words if word not in text] == []


@pytest.mark.parametrize(("deadline", "late"), [(3000.0, True), (4000.0, False)])
def test_when_a_job_will_be_over(deadline: float, *, late: bool) -> None:
    times = (("eta_", 3600.0), ("eta_low_", 2400.0), ("eta_high_", 90_000.0), ("deadline_", deadline))
    text = job(
        ("done", 1.0), ("expected", 9.0), *((f"{which}timestamp_seconds", NOW + after) for which, after in times)
    )
    assert "Over in 60 min , at 11:00 (between 10:40 and 2026-11-30 11:00 , UTC)." in text
    assert f"It should be over at {'10:50' if late else '11:06'} UTC." in text
    assert ("too late" in text) is late


def test_errors_are_told_by_reason() -> None:
    text = said(
        "sglang_job_", [("errors_total", {**JOB, "reason": r}, n) for r, n in (("timeout", 2), ("http_5xx", 0))]
    )
    assert "Failed 2 : timeout 2" in text


def test_tokens_that_are_estimated_are_in_the_speed_and_told_apart_in_the_totals() -> None:
    window = {**JOB, "window": "2m"}
    rates = ("completions", 1.0), ("output_tokens", 100.0), ("estimated_output_tokens", 50.0)
    text = said("sglang_job_", [(f"{name}_per_second", window, value) for name, value in rates])
    assert "Tokens proven over 2m 150 tok/s" in text
    assert "estimated 50" in job(("estimated_output_tokens_total", 50.0))


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        ([("ready_timestamp_seconds", {}, NOW - 7200)], "Ready 2.0 h ago"),
        ([("end_timestamp_seconds", {"cause": "failed"}, NOW - 30)], "Ended 30 s ago , failed"),
        ([("schedulers", {"state": "live"}, 3), ("schedulers", {"state": "silent"}, 1)], "Schedulers 3 live, 1 silent"),
        ([("errors_total", {"kind": "out_of_memory"}, 2), ("errors_total", {"kind": "nan"}, 0)], "2 : out of memory 2"),
        ([("errors_total", {"kind": "nan"}, 0)], "Incidents none"),
        ([("capacity_tokens", {}, 6000), ("capacity_tokens", {"dp_rank": "1"}, 6000)], "KV cache holds 12,000 tokens"),
        ([("token_usage_ratio", {"pool": "kv"}, 0.5), ("token_usage_ratio", {"pool": "cpu"}, 0.9)], "50 %"),
        (
            [("phase", {"phase": "down"}, 1), ("phase", {"phase": "steady", "engine": "1"}, 1)],
            "1 server: down, steady.",
        ),
        ([("starts_total", {}, 0)], "Its log has no line of SGLang's yet."),
    ],
)
def test_a_server(samples: Samples, words: str) -> None:
    assert words in server(*samples)


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ({}, "log:a up"),
        ({"up": False}, "log:a down Permission denied"),
        ({"caught_up": False, "behind": 2e9}, "log:a catching up reads what was there before"),
    ],
)
def test_a_source(how: dict[str, bool], words: str) -> None:
    page = Page()
    add_source(page, "log:a", **how)
    assert words in PageReader(html(page, {"log:a": "Permission denied"} if how == {"up": False} else {})).text
