"""A log that is written, the tail that follows it, and the clock that both of the tests and the tail look at."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.resuming import Restarted
from follow.written import FaultyDisk, Log
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock(1000.0)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "server.log"


@pytest.fixture
def log(path: Path) -> Iterator[Log]:
    log = Log(path)
    yield log
    log.close()


@pytest.fixture
def disk() -> Iterator[FaultyDisk]:
    disk = FaultyDisk()
    yield disk
    assert not disk.opened
    assert not disk.awaited


@pytest.fixture
def tail(path: Path, clock: FixedClock, disk: FaultyDisk) -> Iterator[Tail]:
    tail = Tail(str(path), clock, from_start_is_history=True, disk=disk)
    yield tail
    tail.close()


@pytest.fixture
def restarted(path: Path, clock: FixedClock, disk: FaultyDisk) -> Iterator[Restarted]:
    restarted = Restarted(path, clock, disk)
    yield restarted
    restarted.stream.close()
