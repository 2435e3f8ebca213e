"""Every query of every panel against recordings that were scraped, with the shipped rules: each shows something."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from grafana.choices import Opened
from grafana.committed import FILES, GRAFANA, annotations, panels
from sglang_exporter.recording import find_recording
from support.history import Box, add_rules, store
from support.prometheus import PrometheusServer
from support.recordings import RECORDINGS
from support.remote_write import Sample

SHIPPED = GRAFANA.parent / "prometheus"
BEGAN = 1_764_500_400.0
SECONDS = 720
REPLAYED = ("0.4.10.post2-kill", "0.4.6.post5-batch", "0.5.23-batch", "0.5.23-dp2-tp2")
MOMENTS = range(60, SECONDS + 1, 60)

EMPTY = {
    ("sglang-exporter", 203, "B"): "no file was cut in place",
    ("sglang-exporter", 203, "C"): "nothing was lost",
    ("sglang-exporter", 302, "A"): "every line was understood",
    ("sglang-exporter", 403, "B"): "the limit of open files is far away, and only then it is drawn",
    ("sglang-job", 404, "B"): "every record has a count, so none is estimated",
    ("sglang-job", 404, "D"): "no failed record has a count",
    ("sglang-server", 201, "D"): "every record has a count, so none is estimated",
    ("sglang-server", 203, "A"): "no recorded server decodes speculatively",
    ("sglang-server", 203, "B"): "no recorded server decodes speculatively",
    ("sglang-server", 502, "A"): "no recorded server says why it died: they were stopped, or killed without a word",
}
"""Queries by dashboard, panel and letter that no recording can answer, and why."""


@pytest.fixture
def prometheus(tmp_path: Path) -> Iterator[PrometheusServer]:
    """Prometheus as shipped, with the past of four exporters."""
    folder = tmp_path / "prometheus"
    store(folder, [_box(tmp_path, name) for name in REPLAYED])
    rules = sorted(SHIPPED.glob("rules/*.yml"))
    add_rules(folder, rules, BEGAN, BEGAN + SECONDS)
    shutil.copytree(SHIPPED / "targets", folder / "targets")
    with PrometheusServer(folder, (SHIPPED / "prometheus.yml").read_text(), rules) as server:
        yield server


def _box(folder: Path, name: str) -> Iterator[Sample]:
    schedule = find_recording(RECORDINGS / name).schedule(BEGAN, timedelta())
    return Box(folder / name, name, BEGAN, total=900).live(schedule, SECONDS)


@pytest.mark.prometheus
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_every_query_shows_something_or_is_known_not_to(prometheus: PrometheusServer) -> None:
    empty = {found for path in FILES for found in _empty(path, prometheus)}
    assert empty == EMPTY.keys(), "\n".join(_titles(empty ^ EMPTY.keys()))


def _empty(path: Path, server: PrometheusServer) -> Iterator[tuple[str, int, str]]:
    page = Opened(path, server, BEGAN, BEGAN + SECONDS)
    for panel in panels(path):
        for target in panel["targets"]:
            if not _shows(server, page.expression(target["expr"]), target):
                yield path.stem, panel["id"], target["refId"]
    for annotation in annotations(path):
        assert _over_time(server, page.expression(annotation["expr"])), annotation["name"]


def _shows(server: PrometheusServer, expr: str, target: dict[str, Any]) -> bool:
    if target.get("instant"):
        return any(server.query(expr, BEGAN + moment) for moment in MOMENTS)
    return bool(_over_time(server, expr))


def _over_time(server: PrometheusServer, expr: str) -> list[dict[str, Any]]:
    return server.query_range(expr, BEGAN, BEGAN + SECONDS, 15)


def _titles(keys: set[tuple[str, int, str]]) -> list[str]:
    titles = {(path.stem, panel["id"]): panel["title"] for path in FILES for panel in panels(path)}
    return [f"{uid} {number} {titles[uid, number]} ({ref})" for uid, number, ref in sorted(keys)]
