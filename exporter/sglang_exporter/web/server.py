"""The HTTP server: several addresses, one thread that accepts, and no wake-up while nobody calls."""

import logging
import selectors
import socket
import threading
from collections.abc import Callable, Sequence

from sglang_exporter.logs import Throttle, fields
from sglang_exporter.web.address import Address
from sglang_exporter.web.connections import Connections
from sglang_exporter.web.guard import Rules
from sglang_exporter.web.listener import Listener
from sglang_exporter.web.local import LocalHealth
from sglang_exporter.web.message import Application
from sglang_exporter.web.service import DEFAULT_LIMITS, Limits, Service

_LOG = logging.getLogger(__name__)
_GRACE = 0.5
"""Seconds that responses under way have to be written when the server closes."""


class Server:
    """Serves `app` on all `addresses`, by the `rules` of each moment; all are asked on many threads at once."""

    def __init__(
        self,
        app: Application,
        addresses: Sequence[Address],
        throttle: Throttle,
        limits: Limits = DEFAULT_LIMITS,
        rules: Callable[[], Rules] = Rules,
    ) -> None:
        self._addresses = addresses
        slots = threading.Semaphore(limits.requests)
        self._service = Service(app, rules, throttle, limits, slots, Connections(limits.connections), threading.Event())
        self._listeners: list[Listener] = []
        self._local: list[LocalHealth] = []
        self._waker, self._wake = socket.socketpair()
        self._thread = threading.Thread(target=self._accept, name="web", daemon=True)

    @property
    def ports(self) -> list[int]:
        """The ports that are bound, in the order of the addresses."""
        return [listener.port for listener in self._listeners]

    def start(self) -> None:
        """Bind every address and start to serve; OSError if one cannot be bound, and then none is."""
        try:
            for address in self._addresses:
                self._listeners.append(Listener(address, self._service))
        except OSError:
            self._release()
            raise
        for port in sorted(set(self.ports)):
            self._answer_locally(port)
        self._thread.start()

    def close(self) -> None:
        """Stop accepting, let responses under way be written, and return within a second."""
        self._service.closing.set()
        self._waker.send(b"x")
        self._thread.join()
        self._release()
        self._service.connections.hang_up(_GRACE)

    def _answer_locally(self, port: int) -> None:
        """Serve the local health check too; where the host forbids that, or another has the port's name, go without."""
        try:
            self._local.append(LocalHealth(port, self._service))
        except OSError as error:
            _LOG.warning("`healthcheck` cannot be answered", extra=fields(port=port, error=error))

    def _bound(self) -> Sequence[Listener | LocalHealth]:
        # in this order they are freed: who gets the port finds its name free too
        return [*self._local, *self._listeners]

    def _accept(self) -> None:
        with selectors.DefaultSelector() as selector:
            selector.register(self._wake, selectors.EVENT_READ)
            for listener in self._bound():
                selector.register(listener, selectors.EVENT_READ, listener)
            while not self._service.closing.is_set():
                for key, _ in selector.select():
                    if key.data:
                        key.data.handle_request()

    def _release(self) -> None:
        for listener in self._bound():
            listener.server_close()
        self._waker.close()
        self._wake.close()
