"""The connections that are open, so that there are never too many and none outlives the server."""

import socket
import threading
from contextlib import suppress


class Connections:
    """At most `limit` open sockets, each added before its thread starts and removed as it ends."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._open: set[socket.socket] = set()
        self._changed = threading.Condition()

    def admit(self, connection: socket.socket) -> bool:
        """Count the connection in, unless there are too many."""
        with self._changed:
            if len(self._open) >= self._limit:
                return False
            self._open.add(connection)
            return True

    def release(self, connection: socket.socket) -> None:
        """Count it out; nothing happens if it was not in."""
        with self._changed:
            self._open.discard(connection)
            self._changed.notify_all()

    def replace(self, connection: socket.socket, other: socket.socket) -> None:
        """Take `other`, the same connection with TLS or without, for one that was counted in."""
        with self._changed:
            self._open.discard(connection)
            self._open.add(other)

    def hang_up(self, grace: float) -> None:
        """Stop reading: silent peers are left at once, responses under way have `grace` seconds to be written."""
        with self._changed:
            for connection in self._open:
                with suppress(OSError):
                    socket.socket.shutdown(connection, socket.SHUT_RD)  # its own would take the TLS off it
            self._changed.wait_for(lambda: not self._open, grace)
