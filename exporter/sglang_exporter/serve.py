"""`sglang-exporter serve`: the loop on one thread, HTTP beside it, until a signal."""

import logging
import resource
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from prometheus_client import ProcessCollector

from sglang_exporter import __version__
from sglang_exporter.allocator import use_one_arena
from sglang_exporter.build import Exporter, build
from sglang_exporter.checkpoint_file import CheckpointFile, CheckpointInUseError
from sglang_exporter.clock import Clock
from sglang_exporter.config import Config
from sglang_exporter.follow.wake import FolderWaker
from sglang_exporter.logs import Throttle, fields
from sglang_exporter.overview.crowd import Crowd
from sglang_exporter.overview.shown import Overview
from sglang_exporter.reload import Looks, Reloader
from sglang_exporter.signals import SIGNALS, told, wait
from sglang_exporter.sources.saved import VERSION
from sglang_exporter.web.address import Address
from sglang_exporter.web.app import App
from sglang_exporter.web.guard import Guard, Rules
from sglang_exporter.web.health import Health
from sglang_exporter.web.server import Server

_LOG = logging.getLogger(__name__)
_GRACE = 0.5
_PATIENCE = 0.25
"""Seconds that a page waits for files to be looked at: a round takes a tenth, and some disks do not answer."""


class Settings(NamedTuple):
    """What holds for the whole life of the daemon."""

    load: Callable[[], Config]
    """Loads the configuration, at start and at each reload; raises ConfigError."""
    config_file: Path | None
    addresses: Sequence[Address]
    web_config: Path | None
    checkpoint: Path | None
    """The folder to keep it in."""


def serve(settings: Settings, clock: Clock) -> int:
    """Follow and answer until SIGTERM or SIGINT; return the exit status. Raises ConfigError."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)  # for all threads: one of them waits for each
    try:
        return _serve(settings, clock)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(settings: Settings, clock: Clock) -> int:
    use_one_arena()
    _allow_many_files()
    waker = FolderWaker()
    looks = Looks(settings.config_file)
    config = settings.load()
    rules = Guard(settings.web_config, Throttle(clock)).rules if settings.web_config else Rules
    try:
        exporter = build(config, clock, waker, _own(settings.checkpoint) if settings.checkpoint else None)
    except (OSError, CheckpointInUseError) as error:
        _LOG.error("no checkpoint can be kept: give another --checkpoint DIR, or none", extra=fields(error=error))
        return 1
    ProcessCollector(registry=exporter.registry)
    stop = threading.Event()
    health = Health(exporter.pipeline, waker, exporter.keeper)
    health.loop = threading.Thread(target=exporter.pipeline.run, args=(stop, health.beat), name="loop", daemon=True)
    server = Server(_app(exporter, health, clock, waker), settings.addresses, Throttle(clock), rules=rules)
    _LOG.info("starting", extra=fields(version=__version__))
    try:
        server.start()
    except OSError as error:
        _LOG.error("cannot listen", extra=fields(error=error))
        return 1
    health.loop.start()
    wait(told(), Reloader(exporter, settings.load, looks.changed), waker.wake)
    stop.set()
    waker.wake()
    server.close()
    health.loop.join(_GRACE)
    waker.close()
    return 0


def _allow_many_files() -> None:
    """Raise the limit of open files, often 1024 for the sake of old programs, to what is allowed."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def _own(folder: Path) -> CheckpointFile:
    file = CheckpointFile(folder, VERSION)
    file.lock()
    return file


def _app(exporter: Exporter, health: Health, clock: Clock, waker: FolderWaker) -> App:
    checks = {"unwell": health.unhealthy, "unready": health.unready}
    overview = Overview(exporter.registry, exporter.shared.store, exporter.recent, clock, **checks)
    return App(
        exporter.registry,
        freshen=lambda: exporter.pipeline.rounds.ask(waker.wake, _PATIENCE),
        healthy=health.unhealthy,
        ready=health.unready,
        overview=Crowd(overview),
    )
