"""One open file: how far it has been read, and whether it still is what was read."""

import errno
import os
from contextlib import suppress

from sglang_exporter.follow.chunk import Counts, without_long_lines
from sglang_exporter.follow.disk import Disk, identity_of, open_regular

_KEPT = 1024


class HeldFile:
    """A file that is kept open, whatever becomes of its name.

    `offset` is after the last complete line, `scanned` is where the search for the next line feed goes on. The bytes
    between the two are an unfinished line: they are not kept, but read again when it is complete. `history` is where
    that ends which was there at start. Everything here may raise OSError.
    """

    def __init__(self, disk: Disk, path: str, counts: Counts, max_line: int, *, history: bool) -> None:
        self._disk = disk
        self._counts = counts
        self._max_line = max_line
        self._fd, status = open_regular(disk, path)
        self.identity = identity_of(status)
        self._note(status)
        self.history = self.size if history else 0
        self.broken = False
        self.restart()

    def restart(self) -> None:
        """Start again at the first byte."""
        self.offset = self.scanned = 0
        self._head = self._before = self._torn = b""
        self._over_long = False

    def reopen(self, path: str) -> None:
        """Take a new descriptor of the same file, after the old one has failed; the place in it stays."""
        fd, _ = open_regular(self._disk, path)
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

    def refresh(self) -> None:
        """Take note of the file's present size and time of change."""
        self._note(self._disk.fstat(self._fd))
        self.history = min(self.history, self.size)

    def is_rewritten(self) -> bool:
        """Tell whether the bytes that were read are gone: the file is shorter, or others are at either end of them."""
        before = self._still_there(self._before, self.offset - len(self._before))
        return not before or (self.offset > _KEPT and not self._still_there(self._head, 0))

    def recheck_unfinished(self) -> None:
        """Search the unfinished line from its start again if its writer has cut or changed it."""
        if self.size < self.scanned or not self._still_there(self._torn, self.scanned - len(self._torn)):
            self.scanned = self.offset
            self._head = self._head[: self.offset]
            self._torn = b""
            self._over_long = False

    def read(self, budget: int) -> list[bytes]:
        """Return the lines that are completed by the next `budget` bytes; never any beyond the end of history."""
        end = self.history if self.scanned < self.history else self.size
        block = self._disk.pread(self._fd, min(end - self.scanned, budget), self.scanned)
        lines = block.split(b"\n")
        rest = lines.pop()
        if not lines:
            self._look_past(block)
            return []
        lines = self._complete(lines)
        self._advance(block, len(block) - len(rest))
        return without_long_lines(lines, self._max_line, self._counts) if len(block) > self._max_line else lines

    def finish(self) -> list[bytes]:
        """Return the unfinished line, if there is one, as if it were complete."""
        if self.scanned == self.offset:
            return []
        lines = self._complete([b""])
        self._advance(b"", 0)
        return lines

    def _note(self, status: os.stat_result) -> None:
        self.size = status.st_size
        self.mtime = status.st_mtime

    def _still_there(self, kept: bytes, position: int) -> bool:
        return not kept or self._disk.pread(self._fd, len(kept), position) == kept

    def _complete(self, lines: list[bytes]) -> list[bytes]:
        """Put what was scanned before in front of the first line, or drop that line if it is too long."""
        length = self.scanned - self.offset
        if self._over_long:
            return lines[1:]
        if length + len(lines[0]) > self._max_line:
            self._counts.long_lines += 1
            return lines[1:]
        if length:  # the split is for a line that was overwritten by several, all alike at their ends
            lines[:1] = (self._unfinished(length) + lines[0]).split(b"\n")
        return lines

    def _unfinished(self, length: int) -> bytes:
        start = self._disk.pread(self._fd, length, self.offset)
        if len(start) < length:
            raise OSError(errno.EAGAIN, "Was cut while it was read")
        return start

    def _look_past(self, block: bytes) -> None:
        """Note that a block without a line feed has been looked at."""
        self._torn = (self._torn + block[-_KEPT:])[-_KEPT:]
        self._scan(block)
        if self.scanned - self.offset > self._max_line and not self._over_long:
            self._over_long = True
            self._counts.long_lines += 1

    def _advance(self, block: bytes, cut: int) -> None:
        """Move behind the line feed at `cut` of the block, and keep what is needed to know the place again."""
        before = block[max(0, cut - _KEPT) : cut]
        self._before = before if len(before) == _KEPT else (self._before + self._torn + before)[-_KEPT:]
        self._torn = block[max(cut, len(block) - _KEPT) :]
        self._counts.bytes += self.scanned + cut - self.offset
        self.offset = self.scanned + cut
        self._over_long = False
        self._scan(block)

    def _scan(self, block: bytes) -> None:
        if self.scanned < _KEPT:
            self._head = (self._head + block[:_KEPT])[:_KEPT]
        self.scanned += len(block)
