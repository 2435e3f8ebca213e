"""What the page draws is what /metrics says, summed over ranks, under every condition that a metric goes away by."""

import math

import pytest

from sglang_exporter.metrics.figures import HOST_POOL, server_figures
from support.recordings import lines
from support.servers import LoggedServer, Samples, decode, start

FIGURES = {
    "speed": "gen_throughput_tokens_per_second",
    "running": "running_requests",
    "queued": "queued_requests",
    "usage": "token_usage_ratio",
}
COUNTERS = {"retractions": "retractions_total", "incidents": "errors_total", "starts": "starts_total"}


def on_the_page(page: Samples, metric: str) -> list[float]:
    return [
        value
        for (name, labels), value in page.items()
        if name == f"sglang_server_{metric}" and dict(labels).get("pool") != HOST_POOL
    ]


def check(server: LoggedServer, later: float, stale_after: float | None) -> int:
    """Hold figures against the metrics of the same moment; return how many gauges there were."""
    figures = server_figures(server.state, server.now + later, stale_after)
    page = server.page(later, stale_after)
    for name, metric in FIGURES.items():
        values = on_the_page(page, metric)
        assert (name in figures.gauges) is bool(values)
        if values:
            assert figures.gauges[name] == (max(values) if name == "usage" else sum(values))
    for name, metric in COUNTERS.items():
        assert figures.counters[name] == sum(on_the_page(page, metric))
    return len(figures.gauges)


@pytest.mark.parametrize("recording", ["0.5.23-dp2-tp2", "0.4.10.post2-kill"])
def test_along_a_recording(recording: str) -> None:
    server, found = LoggedServer(), set()
    for number, line in enumerate(lines(recording, "server.log")):
        server.read(line)
        if number % 20 == 0:
            found |= {check(server, later, stale) for later in (0.0, 40.0, 4000.0) for stale in (None, 0.0, 60.0)}
    assert found >= {0, 4}


def test_what_the_server_prints_as_infinite_stays_so() -> None:
    server = LoggedServer().read(start("10:00:00"), decode("10:00:01", speed=math.inf))
    assert check(server, 0.0, None) == len(FIGURES)


def test_a_log_that_says_nothing_has_no_gauge() -> None:
    assert check(LoggedServer(), 0.0, None) == 0
