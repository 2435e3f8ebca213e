"""One HTTP exchange on one connection: a request is read, the application asked, its response written."""

import io
import logging
import socket
from collections.abc import Mapping
from contextlib import suppress
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler
from socketserver import BaseServer
from typing import Any

from sglang_exporter.logs import fields
from sglang_exporter.web.guard import Rules
from sglang_exporter.web.handshake import close_tls, linger
from sglang_exporter.web.head import LARGEST_BODY, LONGEST_HEAD, RefusedError, body_length, fields_of, read_head
from sglang_exporter.web.message import Request, Response
from sglang_exporter.web.passwords import Verdict
from sglang_exporter.web.service import Service
from sglang_exporter.web.timed import Timed, TooMuchError

_LOG = logging.getLogger(__name__)
_ASK = {"WWW-Authenticate": 'Basic realm="sglang-exporter", charset="UTF-8"'}


class Exchange(BaseHTTPRequestHandler):
    """Speaks HTTP/1.0, so a connection carries one request and a peer cannot keep a thread between scrapes."""

    default_request_version = "HTTP/1.0"

    def __init__(
        self,
        service: Service,
        rules: Rules,
        connection: socket.socket,
        peer: Any,  # noqa: ANN401 - an address of whatever family
        server: BaseServer,
    ) -> None:
        self._service = service
        self._rules = rules
        self._timed = Timed(connection, service.limits.total)
        super().__init__(connection, peer, server)

    def setup(self) -> None:
        """Have time and bytes counted of all that is read, and time of all that is written."""
        self.connection: socket.socket = self.request
        self.rfile = io.BytesIO()  # until the head is read, of which the standard library then reads the fields
        self.wfile = self._timed  # type: ignore[assignment] # a write of it is whole, as one of a buffer is

    def handle(self) -> None:
        """Serve the one request; a peer that is too slow or gone is left without a word."""
        self.requestline, self.request_version, self.command = "", self.default_request_version, ""
        with suppress(OSError):
            try:
                if self._read_request():
                    self._send(self._answer())
            except RefusedError as error:
                self.send_error(error.status)
            except TooMuchError:
                self.send_error(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)

    def _read_request(self) -> bool:
        """Read head and body, which no route wants; tell whether there is something to answer."""
        self._timed.give(self._service.limits.head)
        self._timed.allowance = LONGEST_HEAD
        stream = io.BufferedReader(self._timed)
        self.raw_requestline, rest = read_head(stream)
        self.rfile = io.BytesIO(rest)
        understood = bool(self.raw_requestline) and self.parse_request()
        if understood:
            self._fields: Mapping[str, str] = fields_of(self.headers)
            self._timed.give(self._service.limits.body)
            self._timed.allowance = LARGEST_BODY
            stream.read(body_length(self._fields))
        self._timed.give(self._service.limits.total)
        return understood

    def _answer(self) -> Response:
        target = self.raw_requestline.split(b" ")[1].decode("ascii")  # self.path has lost slashes
        request = Request(self.command, target.partition("?")[0], self._fields)
        if refused := self._refusal():
            return refused
        if not self._service.slots.acquire(blocking=False):
            return Response.text(HTTPStatus.SERVICE_UNAVAILABLE, "too many requests at once")
        try:
            return self._service.answer(request)
        finally:
            self._service.slots.release()

    def _refusal(self) -> Response | None:
        """Return what a peer gets that has not the right password."""
        if self._rules.passwords is None:
            return None
        verdict = self._rules.passwords.verdict(self._fields.get("authorization", ""), self._timed.left)
        if verdict is Verdict.BUSY:
            return Response.text(HTTPStatus.SERVICE_UNAVAILABLE, "too many passwords to check")
        return None if verdict is Verdict.RIGHT else Response.text(HTTPStatus.UNAUTHORIZED, "unauthorized", _ASK)

    def _send(self, response: Response) -> None:
        self.send_response(response.status)
        for name, value in {**response.headers, **self._rules.headers}.items():
            self.send_header(name, value)
        if response.status != HTTPStatus.NO_CONTENT:
            self.send_header("Content-Length", str(len(response.body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(response.body)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:  # noqa: ARG002 - the signature is the standard library's
        """Answer a request that is no HTTP, without quoting it."""
        status = HTTPStatus(code)
        self._timed.give(self._service.limits.total)
        self._send(Response.text(status, status.phrase.lower()))
        close_tls(self.connection)
        linger(self.connection)

    def version_string(self) -> str:
        """Return the `Server` header: no version of ours, none of Python."""
        return "sglang-exporter"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - the signature is the standard library's
        """Write the access log, at debug level."""
        _LOG.debug("request", extra=fields(peer=self.address_string(), what=format % args))
