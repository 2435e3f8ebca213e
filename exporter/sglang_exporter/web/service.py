"""What the listeners of one server have in common."""

import logging
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import NamedTuple

from sglang_exporter.logs import Throttle
from sglang_exporter.web.connections import Connections
from sglang_exporter.web.guard import Rules
from sglang_exporter.web.message import Application, Request, Response

_LOG = logging.getLogger(__name__)


class Limits(NamedTuple):
    """What peers may take: `requests` being answered at once, open `connections`, and seconds.

    A handshake of TLS has its own; head and body of a request have theirs, within the `total` of the exchange.
    """

    requests: int = 40
    connections: int = 512
    handshake: float = 5.0
    head: float = 10.0
    body: float = 10.0
    total: float = 30.0


DEFAULT_LIMITS = Limits()


class Service(NamedTuple):
    """What a listener serves, and to how many."""

    app: Application
    rules: Callable[[], Rules]
    """Returns the rules for a connection that begins now."""
    throttle: Throttle
    limits: Limits
    slots: threading.Semaphore
    """One for each request that may be answered at once; a connection that has not asked yet takes none."""
    connections: Connections
    closing: threading.Event

    def answer(self, request: Request) -> Response:
        """Return what the application answers; a fault of its own must not reach the peer, nor stop the server."""
        try:
            return self.app(request)
        except Exception as error:  # noqa: BLE001 - see above
            self.throttle.warn(_LOG, f"page {request.path}", "page failed", error, path=request.path)
            return Response.text(HTTPStatus.INTERNAL_SERVER_ERROR, "internal error")
