"""`sglang-exporter serve`: the loop on one thread, HTTP beside it, until a signal."""

import logging
import signal
import threading
from collections.abc import Sequence

from prometheus_client import ProcessCollector

from sglang_exporter import __version__
from sglang_exporter.build import Exporter, build
from sglang_exporter.clock import Clock
from sglang_exporter.config import Config
from sglang_exporter.follow.wake import FolderWaker
from sglang_exporter.logs import Throttle, fields
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import Store
from sglang_exporter.web.address import Address
from sglang_exporter.web.app import App
from sglang_exporter.web.landing import Followed, Landing
from sglang_exporter.web.server import Server

_LOG = logging.getLogger(__name__)
_SIGNALS = (signal.SIGTERM, signal.SIGINT)
_GRACE = 0.5


def serve(config: Config, addresses: Sequence[Address], clock: Clock) -> int:
    """Follow and answer until SIGTERM or SIGINT; return the exit status."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)  # for all threads: the main one waits for them
    try:
        return _serve(config, addresses, clock)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(config: Config, addresses: Sequence[Address], clock: Clock) -> int:
    waker = FolderWaker()
    exporter = build(config, clock, waker)
    ProcessCollector(registry=exporter.registry)
    stop = threading.Event()
    loop = threading.Thread(target=exporter.pipeline.run, args=(stop,), name="loop", daemon=True)
    server = Server(_app(exporter, loop), addresses, Throttle(clock))
    _LOG.info("starting", extra=fields(version=__version__))
    try:
        server.start()
    except OSError as error:
        _LOG.error("cannot listen", extra=fields(error=error))
        return 1
    loop.start()
    signal.sigwait(_SIGNALS)
    stop.set()
    waker.wake()
    server.close()
    loop.join(_GRACE)
    waker.close()
    return 0


def _app(exporter: Exporter, loop: threading.Thread) -> App:
    return App(
        exporter.registry,
        healthy=lambda: None if loop.is_alive() else "the loop that follows files has ended",
        ready=lambda: None if exporter.pipeline.ready else "what was there at start is still being read",
        landing=lambda: Landing(__version__, _followed(exporter.store)),
    )


def _followed(store: Store) -> tuple[Followed, ...]:
    with store.lock:
        servers = [Followed("server", name, _words(server.source)) for name, server in store.servers.items()]
        jobs = [Followed("job", name, _words(job.source)) for name, job in store.jobs.items()]
    return (*servers, *jobs)


def _words(source: SourceState) -> str:
    """Return how a source is, in words."""
    if not source.caught_up:
        return f"catching up, {source.behind:,} bytes to go"
    return "followed" if source.up else "not there, or not readable"
