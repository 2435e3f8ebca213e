"""When to look again: at a hint from the file system, or after a while. What has happened, only looking tells."""

import select
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Literal

from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from sglang_exporter.follow.watches import Watches

Hint = Literal["change", "wake"]

_MEASURED = 1.0
_BUSY = 100
_REST = 30.0


class FolderWaker:
    """Hints by watchdog, at most one every `gather` seconds.

    Each write costs watchdog as much as several looks cost us. So when there are more than 100 a second, the folders
    are left alone for half a minute: nothing but the clock, and who asks for a page, ends a wait. `monotonic` tells the
    seconds of such spans.
    """

    looks_again = True

    def __init__(
        self,
        gather: float = 0.05,
        new_observer: Callable[[], BaseObserver] = Observer,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._gather = gather
        self._monotonic = monotonic
        self._hints: SimpleQueue[Hint] = SimpleQueue()  # put() may be called in a signal handler, Event.set() may not
        self._hinted = False
        self._events = 0
        self._woken_at = self._measured_since = monotonic()
        self._rests_until: float | None = None
        self._folders: set[str] = set()
        self._awaited: set[int] = set()
        self._watches = Watches(self._hint, new_observer)

    @property
    def backend(self) -> str:
        """How changes are noticed: `inotify`, or `polling` by the clock alone."""
        return "polling" if self._watches.refused else "inotify"

    def wait(self, timeout: float) -> None:
        """Return after `timeout` seconds, at a hint, or at `wake`."""
        hint = self._next(timeout)
        if hint == "change":
            self._next(self._woken_at + self._gather - self._monotonic())  # only wake() cuts this short
        self._hinted = False
        self._woken_at = self._monotonic()
        self._rest_or_rise(self._woken_at)

    def wake(self) -> None:
        """End a wait at once; a signal handler, or any thread, may call this."""
        self._hints.put("wake")

    def watch(self, folders: Iterable[str]) -> None:
        """Take hints from exactly these folders; call it again from time to time, so that dead watches are renewed."""
        self._folders = set(folders)
        if self._rests_until is None:
            self._watches.keep(self._folders)

    def readable(self, descriptor: int) -> bool:
        """Tell whether a pipe has something to read, or has ended; if not, a wait ends as soon as it has."""
        if select.select([descriptor], [], [], 0)[0]:
            return True
        if descriptor not in self._awaited:
            self._awaited.add(descriptor)
            threading.Thread(target=self._await, args=(descriptor,), name="pipe", daemon=True).start()
        return False

    def alive(self) -> bool:
        """Tell whether hints come from every folder that they are expected from."""
        return self._watches.alive

    def close(self) -> None:
        """Take no more hints."""
        self._watches.drop()

    def _await(self, descriptor: int) -> None:
        with suppress(OSError, ValueError):  # closed meanwhile: the next look tells
            select.select([descriptor], [], [])
        self._awaited.discard(descriptor)
        self._hint()

    def _hint(self) -> None:
        self._events += 1
        if not self._hinted:
            self._hinted = True
            self._hints.put("change")

    def _next(self, timeout: float) -> Hint | None:
        """Return the next hint, or None if there is none in time."""
        try:
            return self._hints.get(timeout=max(0.0, timeout))
        except Empty:
            return None

    def _rest_or_rise(self, now: float) -> None:
        if self._rests_until is not None:
            if now >= self._rests_until:
                self._rests_until = None
                self._begin_measuring(now)
                self._watches.keep(self._folders)
            return
        measured = now - self._measured_since
        if self._events > _BUSY * max(_MEASURED, measured):  # at once: each further one costs
            self._rests_until = now + _REST
            self._watches.drop()
        if measured >= _MEASURED:
            self._begin_measuring(now)

    def _begin_measuring(self, now: float) -> None:
        self._events = 0
        self._measured_since = now
