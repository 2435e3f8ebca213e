"""A page on which one collector fails."""

import itertools
import logging
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric

from sglang_exporter.clock import FixedClock
from sglang_exporter.logs import Throttle
from sglang_exporter.web.collect import Collect, SafeCollector


def well() -> Iterator[Metric]:
    yield GaugeMetricFamily("well", "Well.", 1)


def failing() -> Iterator[Metric]:
    yield GaugeMetricFamily("half", "Half.", 1)
    raise KeyError("gone")


def page(**parts: Collect) -> str:
    registry = CollectorRegistry(auto_describe=True)
    ticks = map(float, itertools.count())
    registry.register(SafeCollector(parts, lambda: next(ticks), Throttle(FixedClock())))
    return generate_latest(registry).decode()


def test_failure_costs_its_own_metrics_only(caplog: pytest.LogCaptureFixture) -> None:
    text = page(jobs=failing, servers=well)
    assert "\nwell 1.0\n" in text
    assert "half" not in text
    assert 'sglang_exporter_collector_success{collector="jobs"} 0.0' in text
    assert 'sglang_exporter_collector_success{collector="servers"} 1.0' in text
    assert [record.getMessage() for record in caplog.records] == ["collector failed"]
    assert caplog.records[0].levelno == logging.WARNING


def test_duration_is_what_the_timer_says() -> None:
    assert 'sglang_exporter_collector_duration_seconds{collector="servers"} 1.0' in page(servers=well)


def test_each_family_is_there_once() -> None:
    assert page(jobs=well, servers=failing).count("# TYPE sglang_exporter_collector_success") == 1


def test_registering_collects_nothing() -> None:
    def explode() -> Iterator[Metric]:
        raise AssertionError("collected")

    collector = SafeCollector({"x": explode}, lambda: 0.0, Throttle(FixedClock()))
    CollectorRegistry(auto_describe=True).register(collector)
    assert collector.describe() == []
