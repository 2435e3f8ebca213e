"""A stream of the past, handed on by the clock as it was written: to what folds its lines they are live."""

from collections.abc import Iterator
from dataclasses import replace

from sglang_exporter.backfill.dating import Written
from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import BUDGET, Chunk, Counts
from sglang_exporter.follow.stream import Stream


class PacedStream(Stream):
    """The lines of `inner`, dated; each is there once the clock shows the time at which it was written."""

    behind = 0
    begins = None
    caught_up = True
    position = None
    still = at_end = False
    unfinished_bytes = 0

    def __init__(self, inner: Stream, written: Iterator[Written], clock: Clock) -> None:
        # It has no file of its own to be opened by Stream.
        self.lost_position = False
        self.counts = Counts()
        self._inner = inner
        self._written = written
        self._clock = clock
        self._bytes = 0
        self._next = next(written, None)

    @property
    def path(self) -> str:
        """Where the file that was written last lies."""
        return self._inner.path

    @property
    def up(self) -> bool:
        """Whether the file is there and can be read."""
        return self._inner.up

    @property
    def error(self) -> str | None:
        """What keeps a file from being read, as one phrase."""
        return self._inner.error

    @property
    def due(self) -> float | None:
        """When the next line is there, in seconds since the epoch; None where no more will come."""
        return self._next.at if self._next else None

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the lines that are there now, about `budget` bytes of them."""
        now, size = self._clock.now(), 0
        lines = []
        while self._next and self._next.at <= now and size < budget:
            lines.append(self._next.line)
            size += len(self._next.line) + 1
            self._next = next(self._written, None)
        self._bytes = self._bytes + size if self._next else self._inner.counts.bytes
        self.counts = replace(self._inner.counts, bytes=self._bytes)
        return Chunk(lines, live=True, mtime=now)

    def finish(self) -> list[bytes]:
        """Return a last line without a line feed, if that was not handed on."""
        return self._inner.finish()

    def close(self) -> None:
        """Close all files."""
        self._inner.close()
