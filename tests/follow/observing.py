"""An observer whose events a test makes, and that refuses when it is told to."""

from pathlib import Path

from watchdog.events import FileModifiedEvent, FileSystemEvent, FileSystemEventHandler
from watchdog.observers.api import BaseObserver, EventEmitter, ObservedWatch


class SilentEmitter(EventEmitter):
    """Waits for its end."""

    def queue_events(self, timeout: float) -> None:  # noqa: ARG002
        self.stopped_event.wait()


class Observed:
    """Makes the observers of a waker; all of them together are the file system that the test plays."""

    def __init__(self) -> None:
        self.observers: list[PlayedObserver] = []
        self.refuses_observers: Exception | None = None
        self.refuses_watches: Exception | None = None

    def __call__(self) -> BaseObserver:
        if self.refuses_observers:
            raise self.refuses_observers
        self.observers.append(PlayedObserver(self))
        return self.observers[-1]

    @property
    def watched(self) -> set[str]:
        """The folders that are watched now."""
        return {emitter.watch.path for observer in self.observers for emitter in observer.emitters}

    def change(self, times: int = 1) -> None:
        """Let a file change in the folder that was watched last."""
        for _ in range(times):
            self.observers[-1].handler.dispatch(FileModifiedEvent("server.log"))


class PlayedObserver(BaseObserver):
    """An observer on which nothing happens but what the test makes happen."""

    handler: FileSystemEventHandler

    def __init__(self, observed: Observed) -> None:
        super().__init__(SilentEmitter)
        self._observed = observed

    def schedule(
        self,
        event_handler: FileSystemEventHandler,
        path: str | Path,
        *,
        recursive: bool = False,
        event_filter: list[type[FileSystemEvent]] | None = None,
        follow_symlink: bool = False,
    ) -> ObservedWatch:
        if self._observed.refuses_watches:
            raise self._observed.refuses_watches
        self.handler = event_handler
        return super().schedule(
            event_handler, path, recursive=recursive, event_filter=event_filter, follow_symlink=follow_symlink
        )
