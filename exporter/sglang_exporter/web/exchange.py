"""One HTTP exchange on one connection: a request is read, the application asked, its response written."""

import logging
import socket
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import Any

from sglang_exporter.logs import fields
from sglang_exporter.web.message import Request, Response
from sglang_exporter.web.service import Service

_LOG = logging.getLogger(__name__)
_LONGEST_LINE = 16384
_LARGEST_BODY = 65536


class Exchange(BaseHTTPRequestHandler):
    """Speaks HTTP/1.0, so a connection carries one request and a peer cannot keep a thread between scrapes."""

    default_request_version = "HTTP/1.0"

    def __init__(self, service: Service, connection: socket.socket, peer: Any, server: BaseServer) -> None:  # noqa: ANN401 - an address of whatever family
        self._service = service
        connection.settimeout(service.limits.timeout)
        super().__init__(connection, peer, server)

    def handle(self) -> None:
        """Serve the one request; a peer that is too slow or gone is left without a word."""
        with suppress(OSError):
            self.raw_requestline = self.rfile.readline(_LONGEST_LINE + 1)
            if len(self.raw_requestline) > _LONGEST_LINE:
                self._refuse_line()
            elif self.raw_requestline and self.parse_request():
                self._discard_body()
                self._send(self._answer())

    def _refuse_line(self) -> None:
        self.requestline, self.request_version, self.command = "", self.default_request_version, ""
        self.send_error(HTTPStatus.REQUEST_URI_TOO_LONG)

    def _discard_body(self) -> None:
        """Read what no route wants: a connection closed over unread bytes is reset, and the response lost."""
        length = self.headers.get("Content-Length", "")
        if length.isdecimal():
            self.rfile.read(min(int(length), _LARGEST_BODY))

    def _answer(self) -> Response:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.command, self.path.partition("?")[0], headers)
        if not self._service.slots.acquire(blocking=False):
            return Response.text(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests at once")
        try:
            return self._service.app(request)
        except Exception as error:  # noqa: BLE001 - a fault in one page must not reach the peer, nor stop the server
            self._service.throttle.warn(_LOG, f"page {request.path}", "page failed", error, path=request.path)
            return Response.text(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error")
        finally:
            self._service.slots.release()

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in response.headers.items():
            self.send_header(name, value)
        if response.status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - the signature is the standard library's
        """Answer a request that is no HTTP, without quoting it; its rest is read, as `_discard_body` says why."""
        status = HTTPStatus(code)
        self._send(Response.text(status, status.phrase.lower()))
        self.connection.shutdown(socket.SHUT_WR)
        self.rfile.read(_LARGEST_BODY)

    def version_string(self) -> str:
        """Return the `Server` header: no version of ours, none of Python."""
        return "sglang-exporter"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - the signature is the standard library's
        """Write the access log, at debug level."""
        _LOG.debug("request", extra=fields(peer=self.address_string(), what=format % args))
