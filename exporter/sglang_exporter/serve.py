"""`sglang-exporter serve`: the loop on one thread, HTTP beside it, until a signal."""

import logging
import signal
import threading
from collections.abc import Callable, Sequence

from prometheus_client import ProcessCollector

from sglang_exporter import __version__
from sglang_exporter.build import Exporter, build
from sglang_exporter.clock import Clock
from sglang_exporter.config import Config
from sglang_exporter.follow.wake import FolderWaker
from sglang_exporter.logs import Throttle, fields
from sglang_exporter.web.address import Address
from sglang_exporter.web.app import App
from sglang_exporter.web.landing import Followed, Landing
from sglang_exporter.web.server import Server
from sglang_exporter.web.words import job_words, server_words, source_words

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
    server = Server(_app(exporter, loop, clock.now), addresses, Throttle(clock))
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


def _app(exporter: Exporter, loop: threading.Thread, now: Callable[[], float]) -> App:
    return App(
        exporter.registry,
        healthy=lambda: None if loop.is_alive() else "the loop that follows files has ended",
        ready=lambda: None if exporter.pipeline.ready else "what was there at start is still being read",
        landing=lambda: Landing(__version__, _followed(exporter, now())),
    )


def _followed(exporter: Exporter, now: float) -> tuple[Followed, ...]:
    store = exporter.store
    with store.lock:
        servers = [
            Followed("server", name, source_words(one.source) or server_words(one.state, now, exporter.stale_after))
            for name, one in store.servers.items()
        ]
        jobs = [
            Followed("job", name, source_words(one.source) or job_words(one.state, now))
            for name, one in store.jobs.items()
        ]
    return (*servers, *jobs)
