"""Lines out of blocks that come one after the other and cannot be read again."""

from sglang_exporter.follow.chunk import Counts, without_long_lines
from sglang_exporter.follow.splitting import split_lines


class Splitter:
    """Cuts blocks into lines; of an unfinished line it holds what has come, up to `max_line` bytes."""

    def __init__(self, counts: Counts, max_line: int) -> None:
        self._counts = counts
        self._max_line = max_line
        self._parts: list[bytes] = []
        self._length = 0

    def feed(self, block: bytes) -> list[bytes]:
        """Return the lines that the block completes, without their line feeds."""
        first, *others = split_lines(block)
        self._hold(first)
        if not others:
            return []
        lines = [*self._take(), *others[:-1]]
        self._hold(others[-1])
        return without_long_lines(lines, self._max_line, self._counts) if len(block) > self._max_line else lines

    def finish(self) -> list[bytes]:
        """Return the unfinished line, if there is one, as if it were complete."""
        return self._take() if self._length else []

    def _hold(self, part: bytes) -> None:
        if self._length <= self._max_line < self._length + len(part):
            self._counts.long_lines += 1
            self._parts = []
        self._length += len(part)
        if self._length <= self._max_line:
            self._parts.append(part)

    def _take(self) -> list[bytes]:
        lines = [b"".join(self._parts)] if self._length <= self._max_line else []
        self._parts = []
        self._length = 0
        return lines
