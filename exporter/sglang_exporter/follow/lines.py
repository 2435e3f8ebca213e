"""The lines of one open file, from a place on."""

from sglang_exporter.follow.chunk import BUDGET, Counts, without_long_lines
from sglang_exporter.follow.opened import OpenFile
from sglang_exporter.follow.position import KEPT, LOOKS, Place
from sglang_exporter.follow.splitting import split_lines
from sglang_exporter.follow.trail import Trail


class Lines:
    """Complete lines; an unfinished one is not kept, but read again when it is complete.

    What reads may raise OSError, and has changed nothing then.
    """

    def __init__(self, file: OpenFile, counts: Counts, max_line: int, place: Place) -> None:
        self.trail = Trail(place)
        self._file = file
        self._counts = counts
        self._max_line = max_line
        self._over_long = False

    def read(self, budget: int, end: int) -> list[bytes]:
        """Return the lines that are completed by the next `budget` bytes before `end`."""
        position = self.trail.scanned
        block = self._file.read(min(end - position, budget), position)
        if block.startswith(b"\0") and self.trail.is_at_start and not self.trail.unfinished:
            self._skip_hole(block, end)
            return []
        lines = split_lines(block)
        rest = lines.pop()
        if not lines:
            self._look_past(block, end)
            return []
        lines = self._complete(lines)
        self._advance(block, len(block) - len(rest))
        return without_long_lines(lines, self._max_line, self._counts) if len(block) > self._max_line else lines

    def unfinished(self) -> bytes:
        """Return the unfinished line, which stays unread; nothing of one that is too long."""
        return b"" if self._over_long else self._file.read(self.trail.unfinished, self.trail.offset)

    def finish(self) -> list[bytes]:
        """Return the unfinished line, if there is one, as if it were complete."""
        if not self.trail.unfinished:
            return []
        lines = self._complete([b""])
        self._advance(b"", 0)
        return lines

    def forget_unfinished(self) -> None:
        """Search the unfinished line from its start again."""
        self.trail.forget_unfinished()
        self._over_long = False

    def learn(self) -> None:
        """Look at the first bytes, by which a file is known while it has not been read."""
        length = KEPT
        for _ in range(LOOKS):
            if not self.trail.is_blank or not (block := self._file.read(length, self.trail.scanned)):
                return
            self._skip_hole(block, self._file.status.st_size)
            self.trail.first = block.lstrip(b"\0")[:KEPT]
            length = BUDGET

    def _skip_hole(self, block: bytes, end: int) -> None:
        length = len(block) - len(block.lstrip(b"\0"))
        if length == len(block):
            position = self.trail.scanned
            length = max(length, min(end, self._file.data_start(position + length)) - position)
        self.trail.skip_hole(length)

    def _complete(self, lines: list[bytes]) -> list[bytes]:
        """Put what was scanned before in front of the first line, or drop that line if it is too long."""
        if self._over_long:
            return lines[1:]
        if self.trail.unfinished + len(lines[0]) > self._max_line:
            self.trail.leave_out_nuls()
        length = self.trail.unfinished
        if length + len(lines[0]) > self._max_line:
            self._counts.long_lines += 1
            return lines[1:]
        if length:  # the split is for a line that was overwritten by several, all alike at their ends
            lines[:1] = (self._file.read_whole(length, self.trail.scanned - length) + lines[0]).split(b"\n")
        return lines

    def _look_past(self, block: bytes, end: int) -> None:
        """Note that a block without a line feed has been looked at; NULs over the limit are a hole before the line."""
        self.trail.look_past(block)
        if self.trail.unfinished <= self._max_line or self._over_long:
            return
        self.trail.leave_out_nuls()
        if not self.trail.unfinished:
            position = self.trail.scanned
            self.trail.go_on_in_hole(min(end, self._file.data_start(position)) - position)
        elif self.trail.unfinished > self._max_line:
            self._over_long = True
            self._counts.long_lines += 1

    def _advance(self, block: bytes, cut: int) -> None:
        self._counts.bytes += self.trail.advance(block, cut)
        self._over_long = False
