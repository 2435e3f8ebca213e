"""The one loop: find files, follow them, decode their lines, fold what they say."""

import errno
import logging
import os
import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from sglang_exporter.clock import Clock
from sglang_exporter.config import Config
from sglang_exporter.follow.waker import Waker
from sglang_exporter.keeper import Keeper
from sglang_exporter.logs import Throttle, fields
from sglang_exporter.rounds import Rounds
from sglang_exporter.sources.shared import Shared
from sglang_exporter.sources.source import Group, Source
from sglang_exporter.state.source import SourceState

_LOG = logging.getLogger(__name__)
_ROUND = 1.0
_BETWEEN_DISCOVERIES = 5.0
_BREATH = 0.001

Regroup = Callable[[Shared], Sequence[Group]]
"""Returns what follows the configuration in force."""
Look = Callable[[float], None]
"""Is shown the state after each round, with the time in seconds since the epoch."""


class Pipeline:
    """All followed sources. `step` reads a piece of each; state is written under the store's lock."""

    def __init__(
        self, shared: Shared, regroup: Regroup, clock: Clock, waker: Waker, keeper: Keeper | None, look: Look
    ) -> None:
        self._shared = shared
        self._store = shared.store
        self._regroup = regroup
        self._groups = regroup(shared)
        self._clock = clock
        self._waker = waker
        self._keeper = keeper
        self._look = look
        self._throttle = Throttle(clock)
        self._discovered: float | None = None
        self._troubles: dict[str, str] = {}
        self._next: Config | None = None
        self._first_pass = True
        self.rounds = Rounds()
        self.trouble: str | None = None
        """What the last round failed of, if it did."""

    def reload(self, config: Config) -> None:
        """Follow what `config` names from the next step on; what was followed before goes on where it was."""
        self._next = config

    def run(self, stop: threading.Event, beat: Callable[[], None]) -> None:
        """Follow until `stop`: at each change that the waker tells of, and each second; `beat` begins a round."""
        while not stop.is_set():
            beat()
            if self._step_safely():
                stop.wait(_BREATH)  # lets a scrape have the lock
            else:
                self.rounds.end()
                self.rounds.wait(lambda: self._waker.wait(_ROUND))
        if self._keeper:
            self._keeper.save(self._groups)

    def _step_safely(self) -> bool:
        """Step; whatever a file system may come up with is said, and the next round tries again."""
        try:
            more = self.step()
        except Exception as error:  # noqa: BLE001 -- the loop must not end
            self.trouble = _place(error)
            self._throttle.warn(_LOG, "loop", "a round failed", error)
            return False
        self.trouble = None
        return more

    def step(self) -> bool:
        """Read a piece of every source; tell whether there is more to read at once."""
        self._take_over_config()
        self.discover()
        for _, sources in self._sources():
            for source in sources:
                self._advance(source)
        self.refresh()
        if self._keeper:
            self._keeper.keep(self._groups)
        self._look(self._clock.now())
        if any(group.busy for group in self._groups):
            return True
        return any(state.behind or not all(s.recalled for s in sources) for state, sources in self._sources())

    def discover(self) -> None:
        """Find files that were not there before, if it is time to look again."""
        now = self._clock.now()
        if self._discovered is not None and 0 <= now - self._discovered < _BETWEEN_DISCOVERIES:
            return
        with self._store.lock:
            for group in self._groups:
                group.discover(at_start=self._discovered is None)
        self._discovered = now
        self._waker.watch({f for _, sources in self._sources() for source in sources for f in source.stream.folders})

    def refresh(self) -> None:
        """Bring what is told of each source up to date with its streams."""
        with self._store.lock:
            for group in self._groups:
                group.refresh(self._clock.now())

    @property
    def sources(self) -> list[Source]:
        """All that is followed."""
        return [source for _, sources in self._sources() for source in sources]

    def finish(self) -> None:
        """Take last lines without a line feed, where nobody writes any more."""
        for _, sources in self._sources():
            for source in sources:
                with self._store.lock:
                    source.finish()

    @property
    def reading(self) -> list[str] | None:
        """The sources that are read for the first time since the start; None while they are looked for.

        Once there is none, there is none any more, whatever is found later.
        """
        with self._store.lock:
            if self._discovered is None:
                return None
            if not self._first_pass:
                return []
            states = {id(state) for state, _ in self._sources() if not state.caught_up}
            self._first_pass = bool(states)
            return sorted(label for label, state in self._store.sources.items() if id(state) in states)

    @property
    def newest(self) -> float | None:
        """When the newest line of a log was said, in seconds since the epoch."""
        times = [source.newest for _, sources in self._sources() for source in sources if source.newest is not None]
        return max(times, default=None)

    def _sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        for group in self._groups:
            yield from group.sources()

    def _take_over_config(self) -> None:
        config, self._next = self._next, None
        if config is None:
            return
        with self._store.lock:
            self._shared.config = config
            self._store.unmatched.clear()
            self._groups = self._regroup(self._shared)
            for group in self._groups:
                group.discover(at_start=True)
            self._shared.forget_all_but([source.stream for _, sources in self._sources() for source in sources])

    def _advance(self, source: Source) -> None:
        if not source.recalled:
            with self._store.lock:
                source.recall()
            if not source.recalled:
                return
        stream = source.stream
        counts = stream.counts
        long_lines, lost = counts.long_lines, counts.lost_bytes
        chunk = stream.read(source.budget)
        if stream.still and source.waits:
            return
        with self._store.lock:
            fault = source.take(chunk)
        if fault:
            self._throttle.warn(_LOG, stream.path, "a line could not be taken", fault, file=stream.path)
        if (trouble := stream.error) or self._troubles:
            self._tell_trouble(stream.path, trouble)
        if counts.long_lines > long_lines or counts.lost_bytes > lost:
            self._tell_loss(stream.path, counts.long_lines - long_lines, counts.lost_bytes - lost)

    def _tell_trouble(self, path: str, trouble: str | None) -> None:
        """Say once that a file cannot be read, and once that it can."""
        if trouble == self._troubles.get(path):
            return
        if trouble:
            self._troubles[path] = trouble
        else:
            del self._troubles[path]
        if trouble and trouble.endswith(os.strerror(errno.EMFILE)):
            self._throttle.warn(_LOG, "descriptors", "cannot be read; raise the limit (ulimit -n)", why=trouble)
        elif trouble:
            _LOG.warning("cannot be read", extra=fields(error=trouble))
        else:
            _LOG.info("can be read now", extra=fields(file=path))

    def _tell_loss(self, path: str, long_lines: int, lost: int) -> None:
        """Say that something in a file was not read, which is not the file's trouble."""
        if long_lines:
            limit = self._shared.config.max_line_bytes
            self._throttle.warn(_LOG, f"{path} long", "a line is too long and is left out", file=path, limit=limit)
        if lost:
            self._throttle.warn(_LOG, f"{path} lost", "bytes were gone before they were read", file=path, bytes=lost)


def _place(error: Exception) -> str:
    """Return kind and place of an error, and none of its words: they may quote a prompt."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} in {Path(frame.filename).name}:{frame.lineno}"
