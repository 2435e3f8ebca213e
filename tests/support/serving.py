"""A server of ours on loopback, and peers of any manners."""

import http.client
import socket
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path

from sglang_exporter.clock import FixedClock
from sglang_exporter.logs import Throttle
from sglang_exporter.web.address import Address
from sglang_exporter.web.guard import Guard, Rules
from sglang_exporter.web.message import Application, Request, Response
from sglang_exporter.web.server import Server
from sglang_exporter.web.service import DEFAULT_LIMITS, Limits

PATIENCE = 30.0


def echo(request: Request) -> Response:
    """Answer what was asked."""
    return Response.text(HTTPStatus.OK, f"{request.method} {request.path}")


@contextmanager
def serving(web_config: Path | None = None, app: Application = echo, limits: Limits = DEFAULT_LIMITS) -> Iterator[int]:
    """Give the port of a server of `app`."""
    rules = Guard(web_config, Throttle(FixedClock())).rules if web_config else Rules
    server = Server(app, [Address("127.0.0.1", 0)], Throttle(FixedClock()), limits, rules)
    server.start()
    try:
        yield server.ports[0]
    finally:
        server.close()


def ask(
    port: int, path: str = "/", tls: ssl.SSLContext | None = None, headers: Mapping[str, str] | None = None
) -> tuple[int, Mapping[str, str], bytes]:
    """Return status, headers and body."""
    connection = (
        http.client.HTTPSConnection("127.0.0.1", port, timeout=PATIENCE, context=tls)
        if tls
        else http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    )
    with closing(connection):
        connection.request("GET", path, headers=dict(headers or {}))
        response = connection.getresponse()
        return response.status, dict(response.getheaders()), response.read()


def say(port: int, *pieces: bytes, end: bool = False) -> bytes:
    """Send bytes as they are, and return all that comes back; a reset is the end of it."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as peer:
        answer = b""
        try:
            for piece in pieces:
                peer.sendall(piece)
            if end:
                with suppress(OSError):  # it was reset already
                    peer.shutdown(socket.SHUT_WR)
            while piece := peer.recv(65536):
                answer += piece
        except ConnectionError:
            pass
        return answer
