"""What the listeners of one server have in common."""

import threading
from typing import NamedTuple

from sglang_exporter.logs import Throttle
from sglang_exporter.web.connections import Connections
from sglang_exporter.web.message import Application


class Limits(NamedTuple):
    """What peers may take: `requests` being answered at once, open `connections`, and `timeout` seconds a silence."""

    requests: int = 40
    connections: int = 512
    timeout: float = 10.0


DEFAULT_LIMITS = Limits()


class Service(NamedTuple):
    """What a listener serves, and to how many."""

    app: Application
    throttle: Throttle
    limits: Limits
    slots: threading.Semaphore
    """One for each request that may be answered at once; a connection that has not asked yet takes none."""
    connections: Connections
    closing: threading.Event
