"""Lines printed by the releases' own code, with the right values."""

import json
from pathlib import Path
from typing import Any

import pytest

from sglang_exporter.explain import explained
from sglang_exporter.serverlog.events import Event

LINES = Path(__file__).parent / "lines"
RELEASES = sorted(path.name.removesuffix(".log") for path in LINES.glob("*.log"))
WITH_FIELDS = {"decode", "prefill", "capacity", "kv_cache", "retract", "access", "request_finished", "req_time_stats"}
BY_KIND = {"server_args", "ready", "scheduler_exception", "watchdog", "sigquit", "health_check_failed", "nan"}
BY_KIND |= {"cache_flushed", "load_begin", "load_end", "graph_begin", "graph_end"}
BY_KIND |= {"json.request.finished", "json.scheduler.status"}
NOT_KEPT = {"client", "http_version", "rid"}


def recognised(release: str) -> dict[int, Event]:
    with (LINES / f"{release}.log").open("rb") as file:
        return {one.number: one.event for one in explained(file)}


def expectations(release: str) -> list[dict[str, Any]]:
    return [json.loads(row) for row in (LINES / f"{release}.expected.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("release", RELEASES)
def test_every_line_is_the_kind_that_it_is(release: str) -> None:
    said = recognised(release)
    for want in expectations(release):
        kind = want["kind"].removesuffix("_test")
        if kind in WITH_FIELDS | BY_KIND:
            assert said[want["line"]].kind == kind, want
        elif want["line"] in said:
            assert said[want["line"]].kind not in ("decode", "prefill", "retract"), want


@pytest.mark.parametrize("release", RELEASES)
def test_fields_ranks_and_time_are_those_printed(release: str) -> None:
    said = recognised(release)
    compared = 0
    for want in expectations(release):
        if want["kind"] not in WITH_FIELDS:
            continue
        event = said[want["line"]]
        for label, value in want["fields"].items():
            if label not in NOT_KEPT:
                assert event.fields[label] == value, want
                compared += 1
        assert event.ranks == {name.lower(): rank for name, rank in want["ranks"].items()}
        assert (event.time or "") == want["ts"].replace(" ", "T")
    assert compared > 50


@pytest.mark.parametrize("release", [r for r in RELEASES if r >= "0.3"])
def test_arguments_of_a_start(release: str) -> None:
    (start,) = (event for event in recognised(release).values() if event.kind == "server_args")
    want = next(row["fields"] for row in expectations(release) if row["kind"] == "server_args")
    for name in ("model_path", "kv_cache_dtype", "mem_fraction_static", "tp_size", "dp_size", "chunked_prefill_size"):
        assert start.fields[name] == want[name]
    assert "api_key" not in start.fields
