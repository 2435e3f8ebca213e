"""One followed stream: the rotated files first, then the file that is written now."""

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import BUDGET, MAX_LINE, Chunk
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.disk import SYSTEM_DISK, Disk
from sglang_exporter.follow.history import History
from sglang_exporter.follow.rotated import COMPRESSED
from sglang_exporter.follow.tail import Tail


class Stream:
    """All lines of a stream, each once: those of the rotated files, oldest first, then those of the file written now.

    The file that is written now is opened first, so that what is rotated while the older ones are read stays in order.
    One whose name ends in `.gz` is finished: it is read once, after the older ones. The parameters are those of `Tail`.
    """

    def __init__(
        self,
        found: Found,
        clock: Clock,
        *,
        from_start_is_history: bool,
        max_line: int = MAX_LINE,
        rotate_wait: float = 2.0,
        disk: Disk = SYSTEM_DISK,
    ) -> None:
        self._finished = found.path.endswith(COMPRESSED)
        self._tail = Tail(
            found.path,
            clock,
            from_start_is_history=from_start_is_history,
            max_line=max_line,
            rotate_wait=rotate_wait,
            disk=disk,
        )
        self.counts = self._tail.counts
        self._older = [*found.older, found.path] if self._finished else found.older
        self._live = not from_start_is_history
        self._max_line = max_line
        self._disk = disk
        self._history: History | None = None

    @property
    def path(self) -> str:
        """Where the file that is written now lies."""
        return self._tail.path

    @property
    def up(self) -> bool:
        """Whether the file is there and can be read."""
        return self._history is not None and self.error is None if self._finished else self._tail.up

    @property
    def error(self) -> str | None:
        """What keeps the file, or kept an older one, from being read, as one phrase."""
        return self._tail.error or (self._history.error if self._history else None)

    @property
    def behind(self) -> int:
        """Bytes that the next reads can get at; of compressed files their bytes on disk."""
        return self._tail.behind + (self._history.behind if self._history else 0)

    @property
    def caught_up(self) -> bool:
        """Whether all history has been read."""
        return self._history is not None and self._history.done and (self._finished or self._tail.caught_up)

    def move(self, path: str) -> None:
        """Go on at another path: the file at the old one is read to its end first, as after a rotation."""
        self._tail.path = path

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the next lines, about `budget` bytes of them; none with `behind` above 0 means: read again."""
        if self._history is None:
            self._history = self._begin()
        if self._finished:
            return self._history.read(budget)
        if self._history.done:
            return self._tail.read(budget)
        self._tail.look()
        return self._history.read(budget)

    def finish(self) -> list[bytes]:
        """Return the last line if it has no line feed; it counts as read."""
        return self._tail.finish()

    def close(self) -> None:
        """Close all files."""
        self._tail.close()
        if self._history:
            self._history.close()

    def _begin(self) -> History:
        if not self._finished:
            self._tail.look()
        return History(
            self._older,
            self.counts,
            max_line=self._max_line,
            live=self._live,
            held=self._tail.identities,
            disk=self._disk,
        )
