"""The exporter as the page at `/` shows it."""

from collections.abc import Callable

from prometheus_client import CollectorRegistry

from sglang_exporter.clock import Clock
from sglang_exporter.metrics.recent import Recent
from sglang_exporter.overview.page import Seen, page
from sglang_exporter.state.store import Store

Check = Callable[[], str | None]


class Overview:
    """Makes the page. `unwell` and `unready` return what is wrong, or not yet done; None when all is well."""

    def __init__(
        self,
        registry: CollectorRegistry,
        store: Store,
        recent: Recent,
        clock: Clock,
        *,
        unwell: Check,
        unready: Check,
    ) -> None:
        self._registry = registry
        self._store = store
        self._recent = recent
        self._clock = clock
        self._unwell = unwell
        self._unready = unready

    def __call__(self) -> str:
        """Return the page; the store is held while its numbers are taken, and not while they are written down."""
        unwell, unready = self._unwell(), self._unready()
        store = self._store
        with store.lock:
            now = self._clock.now()
            families = list(self._registry.collect())
            hours, looked = self._recent.hours(now), self._recent.looked(now)
            troubles = {label: source.trouble for label, source in store.sources.items()}
            unmatched = frozenset(store.unmatched.keys() - store.sources.keys())
        return page(Seen(now, families, hours, looked, troubles, unmatched, unwell, unready))
