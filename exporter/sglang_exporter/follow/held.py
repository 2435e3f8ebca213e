"""One open file: how far it has been read, and whether it still is what was read."""

import errno
import os
from contextlib import suppress

from sglang_exporter.follow.chunk import Beginning, Counts, without_long_lines
from sglang_exporter.follow.disk import Disk, Identity, identity_of, open_regular
from sglang_exporter.follow.lines import split_lines
from sglang_exporter.follow.position import KEPT, START, Mark, Place
from sglang_exporter.follow.siblings import Sibling
from sglang_exporter.follow.trail import Trail


class HeldFile:
    """A file that is kept open, whatever becomes of its name; it is read from `start` on.

    Its unfinished line is not kept, but read again when it is complete. `history` is where that ends which was there at
    start, `seen` the size up to which losses have been counted. Everything here may raise OSError.
    """

    def __init__(  # noqa: PLR0913 -- what a file is, and what is asked of it
        self,
        disk: Disk,
        path: str,
        counts: Counts,
        max_line: int,
        *,
        history: bool,
        start: Place = START,
        expected: Identity | None = None,
    ) -> None:
        self.path = os.path.realpath(path)
        self._disk = disk
        self._counts = counts
        self._max_line = max_line
        self._fd, status = open_regular(disk, path, expected)
        self.identity = identity_of(status)
        self.identities = {self.identity}
        self._note(status)
        self.history = self.size if history else 0
        self.seen = self.size
        self.broken = False
        self.begins: Beginning | None = None
        self.restart(start)

    def restart(self, place: Place = START) -> None:
        """Go on at a place of the file."""
        self._trail = Trail(place)
        self._over_long = False

    def reopen(self, path: str) -> None:
        """Take a new descriptor of the same file, after the old one has failed; the place in it stays."""
        fd, _ = open_regular(self._disk, path, self.identity)
        self.close()
        self._fd = fd
        self.broken = False

    def close(self) -> None:
        """Close the file; what a disk may still have to say about it matters to nobody."""
        with suppress(OSError):
            self._disk.close(self._fd)

    @property
    def unread(self) -> int:
        """Bytes that were there at the last `refresh` and have not been looked at."""
        return max(0, self.size - self.scanned)

    @property
    def offset(self) -> int:
        """Where the last complete line ends."""
        return self._trail.offset

    @property
    def scanned(self) -> int:
        """Where the search for the next line feed goes on."""
        return self._trail.scanned

    @property
    def caught_up(self) -> bool:
        """Whether nothing is left of what was there at start."""
        return self.scanned >= self.history

    @property
    def mark(self) -> Mark:
        """The place after the last complete line."""
        return Mark.of(self.file, self._trail.place)

    @property
    def file(self) -> Sibling:
        """The file, as it was at the last `refresh`."""
        return Sibling(self.path, self.identity, self.size, self.mtime)

    @property
    def place(self) -> Place:
        """The place after the last complete line."""
        return self._trail.place

    @property
    def scanned_mark(self) -> Mark:
        """The place that has been looked at, be it within a line."""
        return Mark.of(self.file, self._trail.scanned_place)

    def holds(self, file: Sibling) -> bool:
        """Tell whether a file is this one."""
        return file.identity == self.identity

    def end_mark(self) -> Mark:
        """Return the place at the end of the file, as far as it is written now."""
        status = self._disk.fstat(self._fd)
        size, length = status.st_size, min(KEPT, status.st_size)
        head, before = (self._disk.pread(self._fd, length, position) for position in (0, size - length))
        return Mark.of(self.file._replace(size=size, mtime=status.st_mtime), Place(size, head, before))

    def refresh(self) -> None:
        """Take note of the file's present size and time of change."""
        self._note(self._disk.fstat(self._fd))
        self.history = min(self.history, self.size)

    def is_rewritten(self) -> bool:
        """Tell whether the bytes that were read are gone: the file is shorter, or others are at either end of them."""
        trail = self._trail
        before = self._still_there(trail.before, trail.offset - len(trail.before))
        return not before or (trail.offset > KEPT and not self._still_there(trail.head, 0))

    def has_other_unfinished(self) -> bool:
        """Tell whether the writer has cut or changed the unfinished line."""
        trail = self._trail
        return self.size < trail.scanned or not self._still_there(trail.torn, trail.scanned - len(trail.torn))

    def forget_unfinished(self) -> None:
        """Search the unfinished line from its start again."""
        self._trail.forget_unfinished()
        self._over_long = False

    def read(self, budget: int) -> list[bytes]:
        """Return the lines that are completed by the next `budget` bytes; never any beyond the end of history."""
        position = self._trail.scanned
        end = self.history if position < self.history else self.size
        block = self._disk.pread(self._fd, min(end - position, budget), position)
        if block.startswith(b"\0") and self._trail.is_in_hole():
            self._skip_hole(block, end)
            return []
        lines = split_lines(block)
        rest = lines.pop()
        if not lines:
            self._look_past(block)
            return []
        lines = self._complete(lines)
        self._advance(block, len(block) - len(rest))
        return without_long_lines(lines, self._max_line, self._counts) if len(block) > self._max_line else lines

    def take_beginning(self) -> Beginning | None:
        """Return what begins with the next lines, once."""
        begins, self.begins = self.begins, None
        return begins

    def is_deleted(self) -> bool:
        """Tell whether the file has no name any more."""
        return self._disk.fstat(self._fd).st_nlink == 0

    def unfinished_line(self) -> bytes:
        """Return the unfinished line, which stays unread."""
        if self._over_long:
            return b""
        return self._disk.pread(self._fd, self._trail.unfinished, self._trail.offset)

    def finish(self) -> list[bytes]:
        """Return the unfinished line, if there is one, as if it were complete."""
        if not self._trail.unfinished:
            return []
        lines = self._complete([b""])
        self._advance(b"", 0)
        return lines

    def _note(self, status: os.stat_result) -> None:
        self.size = status.st_size
        self.mtime = status.st_mtime

    def _still_there(self, kept: bytes, position: int) -> bool:
        return not kept or self._disk.pread(self._fd, len(kept), position) == kept

    def _skip_hole(self, block: bytes, end: int) -> None:
        length = len(block) - len(block.lstrip(b"\0"))
        if length == len(block):
            position = self._trail.scanned
            length = max(length, min(end, self._disk.data_start(self._fd, position + length)) - position)
        self._trail.skip_hole(length)

    def _complete(self, lines: list[bytes]) -> list[bytes]:
        """Put what was scanned before in front of the first line, or drop that line if it is too long."""
        length = self._trail.unfinished
        if self._over_long:
            return lines[1:]
        if length + len(lines[0]) > self._max_line:
            self._counts.long_lines += 1
            return lines[1:]
        if length:  # the split is for a line that was overwritten by several, all alike at their ends
            lines[:1] = (self._unfinished(length) + lines[0]).split(b"\n")
        return lines

    def _unfinished(self, length: int) -> bytes:
        start = self._disk.pread(self._fd, length, self._trail.offset)
        if len(start) < length:
            raise OSError(errno.EAGAIN, "Was cut while it was read")
        return start

    def _look_past(self, block: bytes) -> None:
        """Note that a block without a line feed has been looked at."""
        self._trail.look_past(block)
        if self._trail.unfinished > self._max_line and not self._over_long:
            self._over_long = True
            self._counts.long_lines += 1

    def _advance(self, block: bytes, cut: int) -> None:
        self._counts.bytes += self._trail.advance(block, cut)
        self._over_long = False
