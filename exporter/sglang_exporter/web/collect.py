"""Collectors side by side on one page, where the failure of one costs its own metrics only."""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager

from prometheus_client.metrics_core import Metric

from sglang_exporter.logs import Throttle
from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page

_LOG = logging.getLogger(__name__)

Collect = Callable[[], Iterable[Metric]]


class SafeCollector:
    """Collects `parts` by name, and says of each whether it went well and how long it took.

    All parts are in one collector, since a page may hold a metric family once only, and under one `lock`, since a page
    shows one moment. `timer` gives seconds, and only its differences count.
    """

    def __init__(
        self,
        parts: Mapping[str, Collect],
        lock: AbstractContextManager[object],
        timer: Callable[[], float],
        throttle: Throttle,
    ) -> None:
        self._parts = parts
        self._lock = lock
        self._timer = timer
        self._throttle = throttle

    def describe(self) -> list[Metric]:
        """Return nothing, so that registering it does not collect it."""
        return []

    def collect(self) -> Iterator[Metric]:
        """Yield the metrics of every part that does not fail, whole or not at all; then how it went."""
        page = Page()
        with self._lock:
            collected = [self._timed(name, collect, page) for name, collect in self._parts.items()]
        for families in collected:
            yield from families
        yield from page.families()

    def _timed(self, name: str, collect: Collect, page: Page) -> list[Metric]:
        started = self._timer()
        families = self._attempt(name, collect)
        labels = Labels({"collector": name})
        page.add("sglang_exporter_collector_success", labels, float(families is not None))
        page.add("sglang_exporter_collector_duration_seconds", labels, self._timer() - started)
        return families or []

    def _attempt(self, name: str, collect: Collect) -> list[Metric] | None:
        try:
            return list(collect())
        except Exception as error:  # noqa: BLE001 - whatever it is, the other metrics must stay on the page
            self._throttle.warn(_LOG, f"collector {name}", "collector failed", error, collector=name)
            return None
