"""The one loop: find files, follow them, decode their lines, fold what they say."""

import logging
import threading
import traceback
from collections.abc import Iterator, Sequence
from pathlib import Path

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import Chunk
from sglang_exporter.follow.wake import Waker
from sglang_exporter.logs import Throttle, fields
from sglang_exporter.sources.source import Group, Source
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import Store

_LOG = logging.getLogger(__name__)
_ROUND = 1.0
_BETWEEN_DISCOVERIES = 5.0
_BREATH = 0.001


class Pipeline:
    """All followed sources. `step` reads a piece of each; state is written under the store's lock."""

    def __init__(self, groups: Sequence[Group], store: Store, clock: Clock, waker: Waker) -> None:
        self._groups = groups
        self._store = store
        self._clock = clock
        self._waker = waker
        self._throttle = Throttle(clock)
        self._discovered: float | None = None
        self._troubles: dict[str, str | None] = {}

    def run(self, stop: threading.Event) -> None:
        """Follow until `stop`: at each change that the waker tells of, and each second in any case."""
        while not stop.is_set():
            if self.step():
                stop.wait(_BREATH)  # lets a scrape have the lock
            else:
                self._waker.wait(_ROUND)

    def step(self) -> bool:
        """Read a piece of every source; tell whether there is more to read at once."""
        self._discover()
        for state, sources in self._sources():
            for source in sources:
                self._advance(source, state)
        with self._store.lock:
            for group in self._groups:
                group.refresh(self._clock.now())
        return any(state.behind for state, _ in self._sources())

    def finish(self) -> None:
        """Take last lines without a line feed, where nobody writes any more."""
        for _, sources in self._sources():
            for source in sources:
                with self._store.lock:
                    source.finish()

    @property
    def ready(self) -> bool:
        """Whether what was there at start has been read."""
        return self._discovered is not None and all(state.caught_up for state, _ in self._sources())

    @property
    def newest(self) -> float | None:
        """When the newest line of a log was said, in seconds since the epoch."""
        times = [source.newest for _, sources in self._sources() for source in sources if source.newest is not None]
        return max(times, default=None)

    def _sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        for group in self._groups:
            yield from group.sources()

    def _discover(self) -> None:
        now = self._clock.now()
        if self._discovered is not None and 0 <= now - self._discovered < _BETWEEN_DISCOVERIES:
            return
        with self._store.lock:
            for group in self._groups:
                group.discover(at_start=self._discovered is None)
        self._discovered = now
        paths = [Path(source.stream.path) for _, sources in self._sources() for source in sources]
        self._waker.watch({str(folder) for path in paths for folder in (path.parent, path.resolve().parent)})

    def _advance(self, source: Source, state: SourceState) -> None:
        chunk = source.stream.read()
        with self._store.lock:
            self._take(source, chunk, state)
        self._tell_trouble(source.stream.path, source.stream.error)

    def _tell_trouble(self, path: str, trouble: str | None) -> None:
        """Say once that a file cannot be read, and once that it can."""
        if trouble == self._troubles.get(path):
            return
        self._troubles[path] = trouble
        if trouble:
            _LOG.warning("cannot be read", extra=fields(error=trouble))
        else:
            _LOG.info("can be read now", extra=fields(file=path))

    def _take(self, source: Source, chunk: Chunk, state: SourceState) -> None:
        try:
            source.take(chunk)
        except Exception as error:  # noqa: BLE001 -- one bad line must not end the loop
            state.unrecognised["internal_error"] = state.unrecognised.get("internal_error", 0) + 1
            self._throttle.warn(_LOG, source.stream.path, "a line could not be taken", at=_place(error))


def _place(error: Exception) -> str:
    """Return kind and place of an error, and none of its words: they may quote a prompt."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
