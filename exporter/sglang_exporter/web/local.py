"""The local health check: what `/-/healthy` says, on a socket that needs no file, TLS or password.

A container's health check can show neither a password nor a client certificate, unless it keeps them a second time. But
it is on the same machine, and the same user's, for which the kernel vouches. The socket's name is in Linux's abstract
namespace, which is a part of the network namespace, as the port is that names it.
"""

import os
import socket
import struct
from contextlib import suppress

from sglang_exporter.web.message import Request
from sglang_exporter.web.service import Service

ROOT = 0
LONGEST_LINE = 300
"""Bytes; any socket's buffer has room for them, so that no peer can hold up who writes."""
_CREDENTIALS = struct.Struct("3i")  # struct ucred: process, user, group
_PAUSE = 0.1
"""Seconds without accepting when that fails: the waiting connection would spin us."""


def local_name(port: int) -> str:
    """Return the name of the socket of the exporter that listens on a TCP port."""
    return f"\0sglang-exporter:{port}"


def user_of(connection: socket.socket) -> int:
    """Return the user id of the process at the other end, as the kernel knows it."""
    found = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(found)[1])


class LocalHealth:
    """Answers one line, the status of `/-/healthy` and its text, to processes of this user and of root.

    It does so on the thread that accepts for HTTP too, so that an answer shows that this one lives. Bound when built:
    OSError when it cannot be.
    """

    def __init__(self, port: int, service: Service) -> None:
        self._service = service
        self._socket = socket.socket(socket.AF_UNIX)
        try:
            self._socket.bind(local_name(port))
            self._socket.listen()
        except OSError:
            self._socket.close()
            raise
        self._socket.settimeout(0)

    def fileno(self) -> int:
        """Return what to select on."""
        return self._socket.fileno()

    def handle_request(self) -> None:
        """Answer who waits; never wait for it."""
        try:
            peer, _ = self._socket.accept()
        except OSError:
            self._service.closing.wait(_PAUSE)
            return
        with peer, suppress(OSError):  # it has gone
            peer.settimeout(0)
            if user_of(peer) in (ROOT, os.geteuid()):
                response = self._service.answer(Request("GET", "/-/healthy"))
                peer.sendall((b"%d " % response.status + response.body)[:LONGEST_LINE])

    def server_close(self) -> None:
        """Free the name."""
        self._socket.close()
