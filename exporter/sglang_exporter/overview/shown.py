"""The exporter as the page at `/` shows it."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry

from sglang_exporter.clock import Clock
from sglang_exporter.metrics.recent import Recent
from sglang_exporter.overview.page import Seen, page
from sglang_exporter.state.store import Store

Check = Callable[[], str | None]


class Overview:
    """Makes the page. `checks` return what is wrong with the exporter, or not yet done; None when all is well."""

    def __init__(
        self, registry: CollectorRegistry, store: Store, recent: Recent, clock: Clock, checks: tuple[Check, ...]
    ) -> None:
        self._registry = registry
        self._store = store
        self._recent = recent
        self._clock = clock
        self._checks = checks

    def __call__(self) -> str:
        """Return the page; the store is held while its numbers are taken, and not while they are written down."""
        warnings = tuple(f"{why[0].upper()}{why[1:]}." for check in self._checks if (why := check()))
        store = self._store
        with store.lock:
            now = self._clock.now()
            families = list(self._registry.collect())
            hours = self._recent.hours(now)
            troubles = {label: source.trouble for label, source in store.sources.items()}
            unmatched = frozenset(store.unmatched.keys() - store.sources.keys())
        return page(Seen(now, families, hours, troubles, unmatched, warnings))
