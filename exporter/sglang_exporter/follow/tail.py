"""One path, followed: the file there, the one that takes its place, and what is said when there is none."""

from collections.abc import Sequence

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import BUDGET, MAX_LINE, NOTHING, Beginning, Chunk, Counts
from sglang_exporter.follow.disk import SYSTEM_DISK, Disk, trouble
from sglang_exporter.follow.held import HeldFile
from sglang_exporter.follow.history import History
from sglang_exporter.follow.sight import Sight
from sglang_exporter.follow.succession import Succession

__all__ = ["Chunk", "Counts", "Tail"]

_MOST_PARTS = 100
"""Files without lines that are passed over in one read: whatever they do, other streams have their turn."""


class Tail(Sight):
    """The lines that are written to a path, each once, in the order in which they were written.

    A file that was renamed or deleted stays open until it has been read to its end and its successor has something to
    read, and for `rotate_wait` seconds of the clock after both that and its last growth. With `from_start_is_history`
    the first file's content at first sight is history. Lines of more than `max_line` bytes are skipped and counted.
    """

    def __init__(  # noqa: PLR0913 -- each has its default, but what is followed
        self,
        path: str,
        clock: Clock,
        *,
        from_start_is_history: bool,
        max_line: int = MAX_LINE,
        rotate_wait: float = 2.0,
        disk: Disk = SYSTEM_DISK,
        counts: Counts | None = None,
    ) -> None:
        self.counts = counts or Counts()
        super().__init__(path, clock, Succession(disk, self.counts, max_line), disk, history=from_start_is_history)
        self.older_error: str | None = None
        self.at_end = False
        """Whether after the last read nothing was left, nothing amiss, and nobody to be waited for."""
        self.begins: Beginning | None = None
        """What begins with the lines of the last read; None where they go on with those before."""
        self._rotate_wait = rotate_wait
        self._nothing = NOTHING
        self._read_error: str | None = None

    @property
    def up(self) -> bool:
        """Whether the file is there and can be read."""
        return bool(self.files.held) and self.error is None

    @property
    def error(self) -> str | None:
        """What keeps the file from being read, as one phrase."""
        return self._path_error or self._read_error

    @property
    def behind(self) -> int:
        """Bytes that the next reads can get at; an unfinished line that was looked at is not among them."""
        return self.files.behind if self._read_error is None else 0

    @property
    def caught_up(self) -> bool:
        """Whether all history has been read; where no file can be opened, there is none."""
        return self._looked and all(part.caught_up for part in self.files.parts)

    def begin(self, parts: Sequence[HeldFile | History]) -> None:
        """Read these before any other."""
        self.files.parts.extendleft(reversed(parts))
        self._history = self._history and not self.files.held
        self._looked = True
        for held in self.files.held:
            held.quiet_since = self._clock.now()

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the next lines, about `budget` bytes of them; none with `behind` above 0 means: read again."""
        self.look()
        if self.still:
            self.begins = None
            return self._nothing
        chunk = self.read_on(budget)
        self.at_end = self._is_at_end()
        if self._status:
            self._still.look(self._status, found=bool(chunk.lines) or not self.at_end)
            self._nothing = NOTHING if chunk.lines else chunk
        return chunk

    def read_on(self, budget: int) -> Chunk:
        """Read without a look at the path."""
        self.begins = None
        try:
            chunk = self._read(budget)
            self._read_error = None
        except OSError as error:
            self._fail(error)
            return NOTHING
        return chunk

    def unfinished(self) -> Chunk:
        """Return the last line if it has no line feed and all before it has been read; it stays unread."""
        part = self.files.parts[0] if len(self.files.parts) == 1 else None
        try:
            if isinstance(part, HeldFile) and not part.unread and part.scanned > part.offset:
                return Chunk([part.unfinished_line()], part.scanned > part.history, part.mtime)
        except OSError as error:
            self._fail(error)
        return NOTHING

    def finish(self) -> list[bytes]:
        """Return the last line if it has no line feed; it counts as read."""
        try:
            part = self.files.parts[0] if self.files.parts else None
            return part.finish() if isinstance(part, HeldFile) else []
        except OSError as error:
            self._fail(error)
            return []

    def close(self) -> None:
        """Close all files."""
        self.still = self.at_end = False
        self.files.close()

    def _read(self, budget: int) -> Chunk:
        for _ in range(_MOST_PARTS):
            if not self.files.parts:
                break
            part = self.files.parts[0]
            if isinstance(part, History):
                chunk = part.read(budget)
                self.older_error = part.error or self.older_error
                if chunk.lines or not part.done:
                    return chunk
                self.files.drop_first(self.path)
                continue
            if self.files.refresh(part, self.path, self._told):
                part.quiet_since = self._clock.now()
            if self.files.parts[0] is not part:
                continue
            live = part.caught_up
            lines = part.read(budget)
            if lines or part.unread or not self._is_over(part):
                self.begins = part.take_beginning()
                return Chunk(lines, live, part.mtime)
            live = part.scanned > part.history
            begins = part.take_beginning()
            if lines := self._go_on_to_next(part):
                self.begins = begins
                return Chunk(lines, live, part.mtime)
        return NOTHING

    def _is_at_end(self) -> bool:
        """Tell whether there is but the file at the path, nothing is wrong with it, and all of it has been read."""
        part = self.files.parts[0] if len(self.files.parts) == 1 else None
        return isinstance(part, HeldFile) and part.is_at_end and self.error is None

    def _is_over(self, held: HeldFile) -> bool:
        """Tell whether nobody can be expected to write to the oldest file any more."""
        parts = self.files.parts
        if len(parts) == 1 or (len(parts) == 2 and not self._size_at_path):  # noqa: PLR2004 -- old and new
            return False
        now = self._clock.now()
        held.quiet_since = min(held.quiet_since, now)  # the clock may be set back
        return now - held.quiet_since >= self._rotate_wait

    def _go_on_to_next(self, held: HeldFile) -> list[bytes]:
        """Let go of the oldest file and return its last line, if that had no line feed."""
        lines = held.finish()
        self._let_go()
        return lines

    def _fail(self, error: OSError) -> None:
        """Note that the oldest file cannot be read; give it up if it has a successor and has been waited for."""
        is_new = self._read_error is None
        self._read_error = trouble(self.path, error)
        self.at_end = False
        held = self.files.parts[0]
        if isinstance(held, History):
            return
        if is_new or not held.broken:  # the error before may be that of a file that was given up
            held.quiet_since = self._clock.now()
        held.broken = True
        if self._is_over(held):
            self.counts.lost_bytes += max(0, held.size - held.offset)
            self._let_go()

    def _let_go(self) -> None:
        self.files.drop_first(self.path)
        self.counts.rotations += 1
