"""One listening address; each connection has a thread of its own, so that a silent peer holds up nobody else."""

import errno
import logging
import socket
import sys
from socketserver import BaseRequestHandler, TCPServer, ThreadingMixIn
from typing import Any

from sglang_exporter.logs import fields
from sglang_exporter.web.address import Address, resolve
from sglang_exporter.web.exchange import Exchange
from sglang_exporter.web.handshake import secured
from sglang_exporter.web.service import Service

_LOG = logging.getLogger(__name__)
_EXHAUSTED = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
_PAUSE = 0.1
"""Seconds without accepting when the process has no file descriptor left: the waiting connection would spin us."""


class Listener(ThreadingMixIn, TCPServer):
    """Bound when built: OSError names the address. `handle_request` never waits for a connection."""

    allow_reuse_address = True
    request_queue_size = 128
    daemon_threads = True
    block_on_close = False
    timeout = 0.0

    def __init__(self, address: Address, service: Service) -> None:
        self.service = service
        try:
            self.address_family, name = resolve(address)
            super().__init__(name, BaseRequestHandler)  # `finish_request` makes another
        except OSError as error:
            raise OSError(error.errno, f"cannot listen on {address}: {error.strerror or error}") from error
        self.socket.settimeout(0)
        _LOG.info("listening", extra=fields(address=str(Address(address.host, self.port))))

    @property
    def port(self) -> int:
        """The port it is bound to."""
        return int(self.socket.getsockname()[1])

    def server_bind(self) -> None:
        """Bind; IPv6 for every interface takes IPv4 too."""
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()

    def get_request(self) -> tuple[socket.socket, Any]:
        """Accept a connection."""
        try:
            return super().get_request()
        except OSError as error:
            if error.errno in _EXHAUSTED:
                self.service.throttle.warn(_LOG, "accept", "cannot accept a connection", reason=error.strerror)
                self.service.closing.wait(_PAUSE)
            raise

    def verify_request(self, request: Any, client_address: Any) -> bool:  # noqa: ANN401, ARG002 - the signature is the standard library's
        """Return whether there is room for one more connection."""
        if self.service.connections.admit(request):
            return True
        self.service.throttle.warn(_LOG, "connections", "too many connections", limit=self.service.limits.connections)
        return False

    def finish_request(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - the signature is the standard library's
        """Serve the connection, on the thread that it has for itself."""
        rules = self.service.rules()
        seconds = self.service.limits.handshake
        with secured(request, rules.tls, seconds, self.service.connections) as connection:
            if connection:
                Exchange(self.service, rules, connection, client_address, self)

    def shutdown_request(self, request: Any) -> None:  # noqa: ANN401 - the signature is the standard library's
        """Close the connection."""
        super().shutdown_request(request)
        self.service.connections.release(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401, ARG002 - the signature is the standard library's
        """Say once that a connection failed, and tell the peer nothing."""
        self.service.throttle.warn(_LOG, "connection", "connection failed", sys.exception())
