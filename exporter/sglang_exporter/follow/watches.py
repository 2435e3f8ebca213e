"""One watchdog watch for each folder, renewed when it dies; where there can be none, following goes on without."""

import errno
import logging
import stat
from collections.abc import Callable, Collection
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from watchdog.events import (
    DirDeletedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.api import BaseObserver, ObservedWatch

from sglang_exporter.follow.disk import Identity, identity_of

_LOG = logging.getLogger(__name__)
_EVENTS: list[type[FileSystemEvent]] = [
    FileCreatedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileDeletedEvent,
    DirDeletedEvent,
]
_MOST = 256
_GONE = (errno.ENOENT, errno.ENOTDIR)


class _Handler(FileSystemEventHandler):
    """Says that something has happened, and nothing else: an exception here would kill watchdog's thread for good."""

    def __init__(self, on_event: Callable[[], None]) -> None:
        self._on_event = on_event

    def dispatch(self, event: FileSystemEvent) -> None:  # noqa: ARG002 -- what it is, only looking tells
        self._on_event()


class _Watched(NamedTuple):
    identity: Identity
    watch: ObservedWatch


class Watches:
    """Calls `on_event`, which must not raise, whenever a file in one of the folders is written, made, renamed or gone.

    Once the system refuses (its inotify instances or watches are used up), or there are more than 256 folders, nothing
    is watched any more: `refused` is True from then on, and it is said once.
    """

    def __init__(self, on_event: Callable[[], None], new_observer: Callable[[], BaseObserver]) -> None:
        self.refused = False
        self._handler = _Handler(on_event)
        self._new_observer = new_observer
        self._observer: BaseObserver | None = None
        self._watched: dict[str, _Watched] = {}

    @property
    def alive(self) -> bool:
        """Whether every watch that was set still works."""
        return len(self._working()) == len(self._watched)

    def keep(self, folders: Collection[str]) -> None:
        """Watch exactly these folders: drop others, renew dead watches; a missing folder is tried at the next call."""
        if self.refused:
            return
        try:
            self._renew(folders)
        except (OSError, RuntimeError) as error:
            self.refused = True
            self.drop()
            _LOG.warning("Files are looked at by the clock alone: folders cannot be watched: %s", error)

    def drop(self) -> None:
        """Watch nothing."""
        self._watched.clear()
        if self._observer:
            self._observer.stop()
            with suppress(RuntimeError):  # it was never started
                self._observer.join()
            self._observer = None

    def _working(self) -> set[ObservedWatch]:
        if self._observer is None or not self._observer.is_alive():
            return set()
        return {emitter.watch for emitter in self._observer.emitters if emitter.is_alive()}

    def _renew(self, folders: Collection[str]) -> None:
        if len(folders) > _MOST:
            raise RuntimeError(f"there are more than {_MOST} of them, and each takes a thread")
        observer = self._running_observer()
        working = self._working()
        there = {folder: identity for folder in folders if (identity := _folder_identity(folder))}
        for folder, watched in list(self._watched.items()):
            if watched.identity != there.get(folder) or watched.watch not in working:
                del self._watched[folder]
                observer.unschedule(watched.watch)
        for folder in there.keys() - self._watched.keys():
            self._add(observer, folder, there[folder])

    def _running_observer(self) -> BaseObserver:
        if self._observer is None or not self._observer.is_alive():
            self.drop()
            self._observer = self._new_observer()
            self._observer.start()
        return self._observer

    def _add(self, observer: BaseObserver, folder: str, identity: Identity) -> None:
        try:
            watch = observer.schedule(self._handler, folder, event_filter=_EVENTS, follow_symlink=True)
        except OSError as error:
            if error.errno not in _GONE:  # it went away just now
                raise
        else:
            self._watched[folder] = _Watched(identity, watch)


def _folder_identity(folder: str) -> Identity | None:
    with suppress(OSError):
        status = Path(folder).stat()
        return identity_of(status) if stat.S_ISDIR(status.st_mode) else None
    return None
