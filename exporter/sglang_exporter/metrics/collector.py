"""State to metric families, at each scrape."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from prometheus_client.metrics_core import Metric

from sglang_exporter.clock import Clock
from sglang_exporter.metrics.exporter import export_exporter, export_source, export_thresholds
from sglang_exporter.metrics.job import export_job
from sglang_exporter.metrics.labels import Labels, known
from sglang_exporter.metrics.page import Page
from sglang_exporter.metrics.server import export_server
from sglang_exporter.state.store import Store


class ServerCollector:
    """The metrics of servers whose backlog is folded."""

    def __init__(self, store: Store, clock: Clock, stale_after: Callable[[], float | None]) -> None:
        self._store = store
        self._clock = clock
        self._stale_after = stale_after
        self._labels: dict[str, Labels] = {}

    def collect(self) -> Iterator[Metric]:
        """Yield the families as of now."""
        page = Page()
        with self._store.lock:
            self._labels = known("server", self._store.servers, self._labels)
            for name, server in self._store.servers.items():
                if server.source.caught_up:
                    export_server(page, self._labels[name], server.state, self._clock.now(), self._stale_after())
        yield from page.families()


class JobCollector:
    """The metrics of data sets whose backlog is folded."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._labels: dict[str, Labels] = {}

    def collect(self) -> Iterator[Metric]:
        """Yield the families as of now."""
        page = Page()
        with self._store.lock:
            self._labels = known("dataset", self._store.jobs, self._labels)
            for name, job in self._store.jobs.items():
                if job.source.caught_up:
                    export_job(page, self._labels[name], job.state, self._clock.now())
        yield from page.families()


class About(NamedTuple):
    """What the exporter is asked about itself at each scrape."""

    backend: Callable[[], str]
    """How changes of files are noticed."""
    checkpoint_age: Callable[[], float] | None
    """Seconds since the checkpoint was as new as the state; None where none is kept."""
    config_good: Callable[[], bool]
    """Whether the configuration in force is the one on disk."""


class ExporterCollector:
    """What the exporter says about itself; always there."""

    def __init__(self, store: Store, about: About) -> None:
        self._store = store
        self._about = about
        self._sources: dict[str, Labels] = {}
        self._servers: dict[str, Labels] = {}

    def collect(self) -> Iterator[Metric]:
        """Yield the families as of now."""
        page = Page()
        about = self._about
        age = about.checkpoint_age() if about.checkpoint_age else None
        export_exporter(page, about.backend(), age, config_good=about.config_good())
        with self._store.lock:
            sources = {**self._store.unmatched, **self._store.sources}
            self._sources = known("source", sources, self._sources)
            for name, source in sources.items():
                export_source(page, self._sources[name], source)
            self._servers = known("server", self._store.servers, self._servers)
            for name, server in self._store.servers.items():
                export_thresholds(page, self._servers[name], server)
        yield from page.families()
