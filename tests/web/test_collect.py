"""A page on which one collector fails."""

import itertools
import logging
from collections.abc import Iterator
from contextlib import nullcontext
from threading import Lock

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
    registry.register(SafeCollector(parts, nullcontext(), lambda: next(ticks), Throttle(FixedClock())))
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


def test_the_lock_is_held_from_the_first_part_to_the_last_and_no_longer() -> None:
    lock, taken = Lock(), 0

    class Counted:
        def __enter__(self) -> None:
            nonlocal taken
            taken += lock.acquire()

        def __exit__(self, *_: object) -> None:
            lock.release()

    def held() -> Iterator[Metric]:
        yield GaugeMetricFamily("held", "Held.", lock.locked())

    collector = SafeCollector({"servers": held, "exporter": held}, Counted(), lambda: 0.0, Throttle(FixedClock()))
    values = [sample.value for family in collector.collect() if family.name == "held" for sample in family.samples]
    assert (values, taken, lock.locked()) == ([1, 1], 1, False)


def test_each_family_is_there_once() -> None:
    assert page(jobs=well, servers=failing).count("# TYPE sglang_exporter_collector_success") == 1


def test_registering_collects_nothing() -> None:
    def explode() -> Iterator[Metric]:
        raise AssertionError("collected")

    collector = SafeCollector({"x": explode}, nullcontext(), lambda: 0.0, Throttle(FixedClock()))
    CollectorRegistry(auto_describe=True).register(collector)
    assert collector.describe() == []
