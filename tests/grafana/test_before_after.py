"""The dashboard "SGLang before and after" against two made-up runs: 600 tok/s, and after a restart 1351."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from grafana.choices import Opened
from grafana.committed import GRAFANA, panels
from support.made_up import made_up, prometheus_with
from support.prometheus import PrometheusServer
from support.remote_write import Sample

PATH = GRAFANA / "json" / "sglang-before-after.json"
START = 1_764_500_400.0
READY, STARTED, READY_AGAIN, END = START + 300, START + 4000, START + 4200, START + 8000
WARM = 600.0
"""Seconds of warm-up in each run, in which it is twice as fast."""


def _ready(time: float) -> float | None:
    if time >= READY_AGAIN:
        return READY_AGAIN
    return READY if READY <= time < STARTED else None


def _steady(time: float) -> float:
    ready = _ready(time)
    return float(ready is not None and time >= ready + WARM)


def _generated(time: float) -> float:
    first = _made(600, min(time, STARTED) - READY)
    return first + _made(1351, time - READY_AGAIN)


def _made(speed: float, seconds: float) -> float:
    return speed * (max(0.0, seconds) + min(WARM, max(0.0, seconds)))


def _series() -> Iterator[Iterator[Sample]]:
    yield made_up("sglang_exporter_build_info", START, END, 1)
    yield made_up("sglang_server_ready_timestamp_seconds", START, END, _ready, server="s")
    yield made_up("sglang_server_phase", START, END, _steady, server="s", phase="steady")
    yield made_up("sglang_server_generated_tokens_total", START, END, _generated, server="s")
    for start, end, dtype in ((START, STARTED, "auto"), (STARTED, END, "fp8_e4m3")):
        inside = lambda time, start=start, end=end: 1.0 if start <= time < end else None  # noqa: E731
        yield made_up("sglang_server_info", START, END, inside, server="s", kv_cache_dtype=dtype)


@pytest.fixture
def prometheus(tmp_path: Path) -> Iterator[PrometheusServer]:
    with prometheus_with(tmp_path / "prometheus", _series()) as server:
        yield server


def _tile(page: Opened, server: PrometheusServer, title: str) -> list[float]:
    (panel,) = [one for one in panels(PATH) if one["title"] == title]
    answers = [server.query(page.expression(target["expr"]), END) for target in panel["targets"]]
    return [float(one["value"][1]) for answer in answers for one in answer]


@pytest.mark.prometheus
def test_the_last_two_runs_are_chosen_and_their_steady_phases_compared(prometheus: PrometheusServer) -> None:
    page = Opened(PATH, prometheus, START, END)
    chosen = {name: float(page.values[name]) for name in ("before", "after", "shift", "since")}
    assert chosen == {"before": READY, "after": READY_AGAIN, "shift": READY_AGAIN - READY, "since": END - READY_AGAIN}
    before, after, change = _tile(page, prometheus, "Speed")
    assert before == pytest.approx(600, rel=0.02)
    assert after == pytest.approx(1351, rel=0.02)
    assert change == pytest.approx(after / before - 1)


@pytest.mark.prometheus
def test_the_earlier_run_lies_on_the_clock_of_the_later_one(prometheus: PrometheusServer) -> None:
    page = Opened(PATH, prometheus, START, END)
    (panel,) = [one for one in panels(PATH) if one["title"] == "Which is faster?"]
    for target, name in zip(panel["targets"], ("before", "after"), strict=True):
        (line,) = prometheus.query_range(page.expression(target["expr"]), START, END, 15)
        assert line["values"][0][0] == pytest.approx(READY_AGAIN + WARM, abs=15), name
    assert panel["timeFrom"] == "${since}s"


@pytest.mark.prometheus
def test_one_run_alone_is_no_error(prometheus: PrometheusServer) -> None:
    page = Opened(PATH, prometheus, START, STARTED - 60)
    assert page.values["before"] == ""
    for panel in panels(PATH):
        for target in panel["targets"]:
            prometheus.query(page.expression(target["expr"]), STARTED - 60)
    assert _tile(page, prometheus, "Speed") == []


@pytest.mark.prometheus
def test_runs_are_told_apart_by_age_and_arguments(prometheus: PrometheusServer) -> None:
    page = Opened(PATH, prometheus, START, END)
    assert page.texts["after"] == ["1.1 h ago, KV cache fp8_e4m3", "2.1 h ago, KV cache auto"]
    assert page.texts["before"] == ["2.1 h ago, KV cache auto"]
