"""The mark at a restart says what became of each argument, also in history that was backfilled without ends of series."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from grafana.committed import GRAFANA, annotations, resolved
from support.made_up import made_up, prometheus_with
from support.remote_write import Sample

START = 1_764_500_400.0
FIRST, SECOND, END = START + 60, START + 1260, START + 2400
CHANGED = {
    "kv_cache_dtype": "kv_cache_dtype auto → fp8_e4m3",
    "max_running_requests": "max_running_requests unset → 64",
}


def _began(time: float) -> float | None:
    if time >= SECOND:
        return SECOND
    return FIRST if time >= FIRST else None


def _series(*, ends: bool) -> Iterator[Iterator[Sample]]:
    """Yield two runs of a server; with `ends`, the end of the first one's arguments is told, as a scrape tells it."""
    yield made_up("sglang_server_start_timestamp_seconds", START, END, _began, server="s")
    last = END if ends else SECOND - 15
    until = lambda time: 1.0 if FIRST <= time < SECOND else None  # noqa: E731
    since = lambda time: 1.0 if time >= SECOND else None  # noqa: E731
    yield made_up("sglang_server_info", START, last, until, server="s", kv_cache_dtype="auto", tp_size="8")
    second = {"kv_cache_dtype": "fp8_e4m3", "tp_size": "8", "max_running_requests": "64"}
    yield made_up("sglang_server_info", START, END, since, server="s", **second)


@pytest.mark.prometheus
@pytest.mark.parametrize("ends", [True, False])
def test_a_restart_is_marked_with_the_arguments_that_changed(tmp_path: Path, *, ends: bool) -> None:
    (starts,) = [one for one in annotations(GRAFANA / "json" / "sglang-server.json") if one["name"] == "Starts"]
    with prometheus_with(tmp_path / "prometheus", _series(ends=ends)) as server:
        marks = server.query_range(resolved(starts["expr"]), START, END, 15)
    said = {float(one["values"][0][1]): _changes(one["metric"]) for one in marks}
    assert len(marks) == 2
    assert said == {1000 * FIRST: {}, 1000 * SECOND: CHANGED}


def _changes(labels: dict[str, str]) -> dict[str, str]:
    return {name.removeprefix("changed_"): text for name, text in labels.items() if name.startswith("changed_")}
