"""`sglang-exporter once`: the files read to their end, and the page that follows from them."""

import select
import sys
import time
from collections.abc import Iterable

from prometheus_client.exposition import generate_latest

from sglang_exporter.build import Exporter, build
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config


class Nobody:
    """A waker for a loop that never waits."""

    backend = "polling"
    looks_again = False

    def wait(self, timeout: float) -> None:
        """Return at once."""

    def watch(self, folders: Iterable[str]) -> None:
        """Watch nothing."""

    def readable(self, descriptor: int) -> bool:
        """Wait until a pipe has something to read, or has ended."""
        return bool(select.select([descriptor], [], [])[0])

    def alive(self) -> bool:
        """Tell that nothing is wrong."""
        return True

    def close(self) -> None:
        """Do nothing."""


def once(config: Config) -> int:
    """Print the page and return the exit status: 1 when nothing at all could be read."""
    exporter = read_to_the_end(config)
    sys.stdout.buffer.write(generate_latest(exporter.registry))
    sys.stdout.flush()
    return 0 if any(source.up for source in exporter.shared.store.sources.values()) else 1


def read_to_the_end(config: Config) -> Exporter:
    """Return the state of all files at their end. The clock is the time of the last line read, else the host's."""
    clock = FixedClock()
    exporter = build(config, clock, Nobody())
    while exporter.pipeline.step():
        pass
    exporter.pipeline.finish()
    clock.time = exporter.pipeline.newest or time.time()
    for job in exporter.shared.store.jobs.values():
        job.state.unfollow()
    return exporter
