"""One path, followed: the file there, the one that takes its place, and what is said when there is none."""

import errno
from collections import deque

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import BUDGET, MAX_LINE, NOTHING, Chunk, Counts
from sglang_exporter.follow.disk import SYSTEM_DISK, Disk, Identity, identity_of, require_regular, trouble
from sglang_exporter.follow.held import HeldFile

__all__ = ["Chunk", "Counts", "Tail"]

_MISSING = (errno.ENOENT, errno.ENOTDIR)


class Tail:
    """The lines that are written to a path, each once, in the order in which they were written.

    A file that was renamed or deleted stays open until it has been read to its end and its successor has something to
    read, and for `rotate_wait` seconds of the clock after both that and its last growth. With `from_start_is_history`
    the first file's content at first sight is history. Lines of more than `max_line` bytes are skipped and counted.
    """

    def __init__(
        self,
        path: str,
        clock: Clock,
        *,
        from_start_is_history: bool,
        max_line: int = MAX_LINE,
        rotate_wait: float = 2.0,
        disk: Disk = SYSTEM_DISK,
    ) -> None:
        self.path = path
        self.counts = Counts()
        self._clock = clock
        self._history = from_start_is_history
        self._max_line = max_line
        self._rotate_wait = rotate_wait
        self._disk = disk
        self._held: deque[HeldFile] = deque()
        self._looked = False
        self._size_at_path = 0
        self._quiet_since = 0.0
        self._path_error: str | None = None
        self._read_error: str | None = None

    @property
    def up(self) -> bool:
        """Whether the file is there and can be read."""
        return bool(self._held) and self.error is None

    @property
    def error(self) -> str | None:
        """What keeps the file from being read, as one phrase."""
        return self._path_error or self._read_error

    @property
    def behind(self) -> int:
        """Bytes that the next reads can get at; an unfinished line that was looked at is not among them."""
        return self._held[0].unread if self._held and self._read_error is None else 0

    @property
    def caught_up(self) -> bool:
        """Whether all history has been read; where no file can be opened, there is none."""
        return self._looked and all(held.scanned >= held.history for held in self._held)

    @property
    def identities(self) -> set[Identity]:
        """The files that are held open."""
        return {held.identity for held in self._held}

    def look(self) -> None:
        """Compare what is at the path with what is held, and open what is new."""
        try:
            self._look()
            self._path_error = None
        except OSError as error:
            self._path_error = trouble(self.path, error)
            self._history = self._history and error.errno not in _MISSING
        self._looked = True

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the next lines, about `budget` bytes of them; none with `behind` above 0 means: read again."""
        self.look()
        try:
            chunk = self._read(budget)
            self._read_error = None
        except OSError as error:
            self._fail(error)
            return NOTHING
        return chunk

    def finish(self) -> list[bytes]:
        """Return the last line if it has no line feed; it counts as read."""
        try:
            return self._held[0].finish() if self._held else []
        except OSError as error:
            self._fail(error)
            return []

    def close(self) -> None:
        """Close all files."""
        while self._held:
            self._held.popleft().close()

    def _look(self) -> None:
        status = require_regular(self._disk.stat(self.path))
        self._size_at_path = status.st_size
        held = next((held for held in self._held if held.identity == identity_of(status)), None)
        if held is None:
            self._open()
        elif held.broken:
            held.reopen(self.path)
        elif held is not self._held[-1]:  # renamed away, and back
            self._held.remove(held)
            self._held.append(held)

    def _open(self) -> None:
        held = HeldFile(self._disk, self.path, self.counts, self._max_line, history=self._history)
        self._history = False
        self._held.append(held)
        self._quiet_since = self._clock.now()

    def _read(self, budget: int) -> Chunk:
        while self._held:
            held = self._held[0]
            self._refresh(held)
            live = held.scanned >= held.history
            lines = held.read(budget)
            if lines or held.unread or not self._is_over():
                return Chunk(lines, live, held.mtime)
            live = held.scanned > held.history
            if lines := self._go_on_to_next():
                return Chunk(lines, live, held.mtime)
        return NOTHING

    def _refresh(self, held: HeldFile) -> None:
        """Take note of growth, and start again if the file was written anew in place."""
        known = held.size
        held.refresh()
        if held.size != known:
            self._quiet_since = self._clock.now()
        if held.is_rewritten():
            self.counts.truncations += 1
            self.counts.lost_bytes += max(0, known - held.offset)
            held.history = 0
            held.restart()
        else:
            self.counts.lost_bytes += max(0, known - max(held.size, held.scanned))
            held.recheck_unfinished()

    def _is_over(self) -> bool:
        """Tell whether nobody can be expected to write to the oldest file any more."""
        if len(self._held) == 1 or (len(self._held) == 2 and not self._size_at_path):  # noqa: PLR2004 -- old and new
            return False
        now = self._clock.now()
        self._quiet_since = min(self._quiet_since, now)  # the clock may be set back
        return now - self._quiet_since >= self._rotate_wait

    def _go_on_to_next(self) -> list[bytes]:
        """Let go of the oldest file and return its last line, if that had no line feed."""
        lines = self._held[0].finish()
        self._let_go()
        return lines

    def _fail(self, error: OSError) -> None:
        """Note that the oldest file cannot be read; give it up if it has a successor and has been waited for."""
        held = self._held[0]
        held.broken = True
        if self._read_error is None:
            self._quiet_since = self._clock.now()
        self._read_error = trouble(self.path, error)
        if self._is_over():
            self.counts.lost_bytes += max(0, held.size - held.offset)
            self._let_go()

    def _let_go(self) -> None:
        self._held.popleft().close()
        self.counts.rotations += 1
        self._quiet_since = self._clock.now()
