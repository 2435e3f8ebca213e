"""TLS on a connection, by the thread that serves it, so that a peer which does not go on holds up nobody else."""

import logging
import socket
import ssl
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from sglang_exporter.logs import fields
from sglang_exporter.web.connections import Connections

_LOG = logging.getLogger(__name__)
_LINGER = 1.0
_MOST_DRAINED = 4 << 20
_PIECE = 65536
_PLAIN = (
    b"HTTP/1.0 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: 42\r\n\r\n"
    b"this is an HTTPS server, and this was HTTP"
)


@contextmanager
def secured(
    connection: socket.socket, context: ssl.SSLContext | None, seconds: float, connections: Connections
) -> Iterator[socket.socket | None]:
    """Give the connection to speak HTTP on, after a handshake of at most so many seconds; None when that fails."""
    if context is None:
        yield connection
        return
    with context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False) as tls:
        connections.replace(connection, tls)
        try:
            yield tls if _shake_hands(tls, seconds) else None
        finally:
            connections.replace(tls, connection)
            close_tls(tls)


def _shake_hands(tls: ssl.SSLSocket, seconds: float) -> bool:
    tls.settimeout(seconds)
    try:
        tls.do_handshake()
    except OSError as error:
        reason = (isinstance(error, ssl.SSLError) and error.reason) or type(error).__name__
        _LOG.debug("no TLS", extra=fields(reason=reason))
        if reason == "HTTP_REQUEST":
            socket.socket.send(tls, _PLAIN)
            linger(tls)
        return False
    return True


def close_tls(connection: socket.socket) -> None:
    """Say that no more comes, where that is TLS, and wait for no answer."""
    if isinstance(connection, ssl.SSLSocket):
        with suppress(OSError, ValueError):
            connection.settimeout(0)
            connection.unwrap()


def linger(connection: socket.socket) -> None:
    """Read on for a moment after the response: closed over unread bytes, a connection is reset, the response lost."""
    end = time.monotonic() + _LINGER
    drained = 0
    with suppress(OSError):
        socket.socket.shutdown(connection, socket.SHUT_WR)
        while drained < _MOST_DRAINED and (left := end - time.monotonic()) > 0:
            connection.settimeout(left)
            piece = socket.socket.recv(connection, _PIECE)
            if not piece:
                return
            drained += len(piece)
