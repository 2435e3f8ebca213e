"""A connection that must be done with in time: a peer that sends a byte now and then gains nothing by it."""

import io
import socket
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer


class TooMuchError(Exception):
    """The peer sent more than it may."""


class Timed(io.RawIOBase):
    """Reads and writes `connection` while there is time; then TimeoutError. Seconds are those of `monotonic`.

    `allowance` is how many bytes may still be read: one more raises TooMuchError.
    """

    def __init__(
        self, connection: socket.socket, total: float, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        super().__init__()
        self._connection = connection
        self._monotonic = monotonic
        self._end = monotonic() + total
        self._until = self._end
        self.allowance = 0

    def give(self, seconds: float) -> None:
        """Give the next part of the exchange so much time, within the whole."""
        self._until = min(self._monotonic() + seconds, self._end)

    @property
    def left(self) -> float:
        """Seconds that are left of the part."""
        return self._until - self._monotonic()

    def readable(self) -> bool:
        """Return True."""
        return True

    def writable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: "WriteableBuffer") -> int:
        """Read what is there, once something is."""
        if self.allowance <= 0:
            raise TooMuchError
        self._wait_at_most()
        count = self._connection.recv_into(memoryview(buffer)[: self.allowance])
        self.allowance -= count
        return count

    def write(self, data: "ReadableBuffer") -> int:
        """Write all of it."""
        rest = memoryview(data).cast("B")
        size = len(rest)
        while rest:
            self._wait_at_most()
            rest = rest[self._connection.send(rest) :]
        return size

    def _wait_at_most(self) -> None:
        left = self.left
        if left <= 0:
            raise TimeoutError
        self._connection.settimeout(left)
