"""What makes the exporter unhealthy, and what it waits for at start; each with its reason."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sglang_exporter.build import Exporter, build
from sglang_exporter.checkpoint_file import CheckpointFile
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, ServerConfig
from sglang_exporter.follow.wake import FolderWaker
from sglang_exporter.sources.saved import VERSION
from sglang_exporter.web.health import Health
from support.servers import decode


class Deafened(FolderWaker):
    """Hears, until it is told not to."""

    deaf = False

    def alive(self) -> bool:
        return not self.deaf


class Watched:
    """An exporter of one log, its clocks, and a thread that is its loop until `end`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock, self.monotonic = FixedClock(1000.0), FixedClock(50.0)
        self.waker = Deafened()
        file = CheckpointFile(folder / "state", VERSION)
        file.lock()
        config = Config(servers=[ServerConfig(logs=str(folder / "{server}.log"))])
        self.exporter: Exporter = build(config, self.clock, self.waker, file)
        self.health = Health(self.exporter.pipeline, self.waker, self.exporter.keeper, self.monotonic.now)
        self._ended = threading.Event()
        self.health.loop = threading.Thread(target=self._ended.wait, args=(60,))
        self.health.loop.start()

    def pass_seconds(self, seconds: float) -> None:
        self.clock.time += seconds
        self.monotonic.time += seconds

    def end(self) -> None:
        self._ended.set()
        assert self.health.loop
        self.health.loop.join()


@pytest.fixture(name="watched")
def _watched(tmp_path: Path) -> Iterator[Watched]:
    (tmp_path / "node7.log").write_text(decode("10:00:00") + "\n")
    watched = Watched(tmp_path)
    yield watched
    watched.end()
    watched.waker.close()


def test_all_is_well(watched: Watched) -> None:
    watched.exporter.pipeline.step()
    watched.health.beat()
    assert watched.health.unhealthy() is None


def test_a_loop_that_has_ended(watched: Watched) -> None:
    watched.end()
    assert watched.health.unhealthy() == "the loop that follows files has ended"


def test_a_loop_that_does_not_come_back_and_one_that_does(watched: Watched) -> None:
    watched.pass_seconds(61)
    assert watched.health.unhealthy() == "the loop that follows files is stuck since 61 s"
    watched.health.beat()
    assert watched.health.unhealthy() is None


def test_an_observer_that_is_dead_for_long(watched: Watched) -> None:
    watched.waker.deaf = True
    for _ in range(2):
        watched.health.beat()
        assert watched.health.unhealthy() is None
        watched.pass_seconds(31)
    watched.health.beat()
    assert watched.health.unhealthy() == "watchdog's threads have ended, and are not renewed"
    watched.waker.deaf = False
    watched.health.beat()
    assert watched.health.unhealthy() is None


def test_a_checkpoint_that_cannot_be_written(watched: Watched) -> None:
    state = watched.folder / "state"
    gone = watched.folder / "gone"
    state.rename(gone)
    for _ in range(3):
        watched.pass_seconds(61)
        watched.exporter.pipeline.step()
        watched.health.beat()
    reason = watched.health.unhealthy()
    assert reason == "the checkpoint could not be written for 122 s"
    gone.rename(state)
    watched.pass_seconds(61)
    watched.exporter.pipeline.step()
    watched.health.beat()
    assert watched.health.unhealthy() is None


def test_ready_after_the_first_pass_and_for_good(watched: Watched) -> None:
    assert watched.health.unready() == "files are still looked for"
    pipeline = watched.exporter.pipeline
    pipeline.discover()
    assert watched.health.unready() == "still reading log:node7"
    while pipeline.step():
        pass
    assert watched.health.unready() is None
    (watched.folder / "node8.log").write_text(decode("10:00:00") + "\n")
    watched.pass_seconds(10)
    pipeline.step()
    assert watched.health.unready() is None
