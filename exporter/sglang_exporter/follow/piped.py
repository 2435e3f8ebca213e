"""Standard input as a stream: what is piped into us can be read once, and ends."""

import fcntl
import os
import stat
import struct
import termios

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import BUDGET, MAX_LINE, Chunk, Counts
from sglang_exporter.follow.disk import ENDED, Identity
from sglang_exporter.follow.position import Position
from sglang_exporter.follow.splitter import Splitter
from sglang_exporter.follow.waker import Waker

STANDARD_INPUT = "/dev/stdin"
_PATIENCE = 2.0


class PipedStream:
    """The lines that come through a pipe.

    What comes before the pipe is empty for the first time is history: `docker logs -f` begins with all that was said
    before. Its writer is given two seconds to begin. Nothing of it can be read again after a restart.
    """

    path = STANDARD_INPUT
    position: Position | None = None
    still = at_end = False

    def __init__(self, clock: Clock, waker: Waker, *, descriptor: int = 0, max_line: int = MAX_LINE) -> None:
        self.counts = Counts()
        self.caught_up = False
        self.error: str | None = None
        self.folders: set[str] = set()
        self.identities: set[Identity] = set()
        self._clock = clock
        self._waker = waker
        self._descriptor = descriptor
        self._splitter = Splitter(self.counts, max_line)
        self._since = clock.now()
        self._begun = False
        self._ended = False

    @property
    def up(self) -> bool:
        """Whether there is somebody who writes; for a reader to the end, it is enough that there was."""
        return not (self._ended and self._waker.looks_again)

    @property
    def behind(self) -> int:
        """Bytes in the pipe; at least one before the end for a reader that reads to it."""
        if self._ended:
            return 0
        return max(_waiting(self._descriptor), 0 if self._waker.looks_again else 1)

    def has_read(self, _path: str) -> bool:
        """Tell that no file was read."""
        return False

    def move(self, path: str) -> None:
        """Do nothing: there is no other path."""

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the lines that what is in the pipe completes, and at its end the last one."""
        now, live = self._clock.now(), self.caught_up
        if self._ended:
            return Chunk([], live, now)
        status = os.fstat(self._descriptor)
        written = status.st_mtime if stat.S_ISREG(status.st_mode) else max(now, status.st_mtime)
        if not self._waker.readable(self._descriptor):
            self.caught_up = live or self._begun or not 0 <= now - self._since < _PATIENCE
            return Chunk([], live, written)
        self._begun = True
        return Chunk(self._lines(budget), live, written)

    def finish(self) -> list[bytes]:
        """Return nothing: the last line came with the end."""
        return []

    def close(self) -> None:
        """Leave the descriptor to the process, whose it is."""

    def _lines(self, budget: int) -> list[bytes]:
        try:
            block = os.read(self._descriptor, budget)
        except OSError as error:
            return self._end(error.strerror or "cannot be read")
        if not block:
            return self._end(ENDED)
        self.counts.bytes += len(block)
        return self._splitter.feed(block)

    def _end(self, why: str) -> list[bytes]:
        self._ended = self.caught_up = True
        if self._waker.looks_again:
            self.error = f"standard input: {why}"
        return self._splitter.finish()


def _waiting(descriptor: int) -> int:
    """Return how many bytes can be read at once; 0 where the system does not say."""
    answer = bytearray(4)
    try:
        fcntl.ioctl(descriptor, termios.FIONREAD, answer)
    except OSError:
        return 0
    return int(struct.unpack("i", answer)[0])
