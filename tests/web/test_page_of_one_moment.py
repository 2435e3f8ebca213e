"""A page shows one moment: the loop folds nothing between two of its parts."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest
from prometheus_client.metrics_core import Metric

from sglang_exporter.build import build
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, ServerConfig
from sglang_exporter.metrics.collector import ExporterCollector
from sglang_exporter.once import Nobody
from support.exporter import parse, pick
from support.servers import prefill


def test_no_source_is_up_on_a_page_without_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, log = FixedClock(1000.0), tmp_path / "node7.log"
    collect = ExporterCollector.collect

    def loop_if_it_may() -> None:
        if exporter.shared.store.lock.acquire(blocking=False):
            exporter.pipeline.step()
            exporter.shared.store.lock.release()

    def collect_later(self: ExporterCollector) -> Iterator[Metric]:
        with ThreadPoolExecutor(1) as other:
            other.submit(loop_if_it_may).result()
        return collect(self)

    monkeypatch.setattr(ExporterCollector, "collect", collect_later)
    exporter = build(Config(servers=[ServerConfig(logs=str(log))]), clock, Nobody())
    exporter.pipeline.step()
    log.write_text(prefill("10:00:00") + "\n")
    clock.time += 60
    for _ in range(2):
        page = parse(generate_latest(exporter.registry).decode())
        up, tokens = pick(page, "sglang_exporter_source_up"), pick(page, "sglang_server_prefill_tokens_total")
        assert bool(up) == bool(tokens)
        exporter.pipeline.step()
    assert up
