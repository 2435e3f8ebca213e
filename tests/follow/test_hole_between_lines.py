"""NULs between lines, more than a line may be long: a sparse file, or a disk that lost what it had promised to write."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail

LIMIT = 100_000
HOLE = 3 << 40


@pytest.fixture
def tail(path: Path, clock: FixedClock, disk: FaultyDisk) -> Iterator[Tail]:
    tail = Tail(str(path), clock, from_start_is_history=True, max_line=LIMIT, disk=disk)
    yield tail
    tail.close()


def leave_hole(log: Log, size: int) -> None:
    with log.path.open("r+b") as file:
        file.truncate(log.path.stat().st_size + size)


def test_it_costs_nothing_and_the_line_behind_it_is_read(log: Log, tail: Tail, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    leave_hole(log, HOLE)
    assert read_all(tail, 10_000) == [b"one"]
    leave_hole(log, HOLE)
    log.write(b"two\nthree\n")
    assert [line.lstrip(b"\0") for line in read_all(tail, 10_000)] == [b"two", b"three"]
    assert sum(disk.sizes) < 10 * LIMIT
    assert tail.counts.long_lines == 0
    assert tail.counts.bytes < LIMIT


@pytest.mark.parametrize("budget", [999, 10_000, 256 << 10])
@pytest.mark.parametrize("size", [LIMIT // 2, LIMIT + 1, 3 * LIMIT])
def test_where_holes_are_not_told(log: Log, tail: Tail, disk: FaultyDisk, budget: int, size: int) -> None:
    disk.tells_holes = False
    log.write(b"one\n")
    leave_hole(log, size)
    read = read_all(tail, budget)
    log.write(b"two")
    read += read_all(tail, budget)
    log.write(b" and a half\nthree\n")
    read += read_all(tail, budget)
    assert [line.lstrip(b"\0") for line in read] == [b"one", b"two and a half", b"three"]
    assert tail.counts.long_lines == 0


def test_a_line_that_is_too_long_behind_it_is_still_one(log: Log, tail: Tail) -> None:
    log.write(b"one\n")
    leave_hole(log, HOLE)
    log.write(b"x" * (LIMIT + 1) + b"\ntwo\n")
    assert read_all(tail, 10_000) == [b"one", b"two"]
    assert tail.counts.long_lines == 1
