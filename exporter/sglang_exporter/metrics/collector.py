"""State to metric families, at each scrape."""

from collections.abc import Callable, Iterator

from prometheus_client.metrics_core import Metric

from sglang_exporter.clock import Clock
from sglang_exporter.metrics.exporter import export_exporter, export_source, export_thresholds
from sglang_exporter.metrics.job import export_job
from sglang_exporter.metrics.page import Page
from sglang_exporter.metrics.server import export_server
from sglang_exporter.state.store import Store


class ServerCollector:
    """The metrics of servers whose backlog is folded."""

    def __init__(self, store: Store, clock: Clock, stale_after: float | None) -> None:
        self._store = store
        self._clock = clock
        self._stale_after = stale_after

    def collect(self) -> Iterator[Metric]:
        """Yield the families as of now."""
        page = Page()
        with self._store.lock:
            for name, server in self._store.servers.items():
                if server.source.caught_up:
                    export_server(page, name, server.state, self._clock.now(), self._stale_after)
        yield from page.families()


class JobCollector:
    """The metrics of data sets whose backlog is folded."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock

    def collect(self) -> Iterator[Metric]:
        """Yield the families as of now."""
        page = Page()
        with self._store.lock:
            for name, job in self._store.jobs.items():
                if job.source.caught_up:
                    export_job(page, name, job.state, self._clock.now())
        yield from page.families()


class ExporterCollector:
    """What the exporter says about itself; always there."""

    def __init__(self, store: Store, backend: Callable[[], str]) -> None:
        self._store = store
        self._backend = backend

    def collect(self) -> Iterator[Metric]:
        """Yield the families as of now."""
        page = Page()
        export_exporter(page, self._backend(), config_good=True)
        with self._store.lock:
            for name, source in {**self._store.unmatched, **self._store.sources}.items():
                export_source(page, name, source)
            for name, server in self._store.servers.items():
                export_thresholds(page, name, server)
        yield from page.families()
