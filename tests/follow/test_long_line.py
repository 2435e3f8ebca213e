"""Lines over the limit: skipped, counted, and never held."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail

LIMIT = 1000


@pytest.fixture
def tail(path: Path, clock: FixedClock, disk: FaultyDisk) -> Iterator[Tail]:
    tail = Tail(str(path), clock, from_start_is_history=True, max_line=LIMIT, disk=disk)
    yield tail
    tail.close()


@pytest.mark.parametrize("budget", [1, 99, 1000, 1001, 1002, 5000])
@pytest.mark.parametrize("length", [LIMIT + 1, LIMIT + 2, 3 * LIMIT])
def test_it_is_skipped_and_its_neighbours_are_not(log: Log, tail: Tail, budget: int, length: int) -> None:
    log.write(b"before\n" + b"x" * length + b"\nafter\n")
    assert read_all(tail, budget) == [b"before", b"after"]
    assert tail.counts.long_lines == 1
    assert tail.counts.bytes == log.path.stat().st_size


@pytest.mark.parametrize("budget", [1, 99, 1000, 1001, 1002, 5000])
def test_one_of_exactly_the_limit_is_not_too_long(log: Log, tail: Tail, budget: int) -> None:
    log.write(b"before\n" + b"x" * LIMIT + b"\nafter\n")
    assert read_all(tail, budget) == [b"before", b"x" * LIMIT, b"after"]
    assert tail.counts.long_lines == 0


def test_one_without_an_end_is_counted_as_soon_as_it_is_too_long_and_once(log: Log, tail: Tail) -> None:
    for _ in range(5):
        log.write(b"x" * 400)
        read_all(tail)
    assert tail.counts.long_lines == 1
    log.write(b"\nafter\n")
    assert read_all(tail) == [b"after"]
    assert tail.counts.long_lines == 1


def test_one_without_an_end_is_not_read_again_and_again(log: Log, tail: Tail, disk: FaultyDisk) -> None:
    log.write(b"x" * 100_000)
    read_all(tail, budget=2000)
    assert max(disk.sizes) <= 2000
    log.write(b"\nafter\n")
    assert read_all(tail, budget=2000) == [b"after"]
    assert max(disk.sizes) <= 2000


def test_finish_does_not_give_it(log: Log, tail: Tail) -> None:
    log.write(b"x" * 2000)
    read_all(tail)
    assert tail.finish() == []
    assert tail.counts.long_lines == 1


def test_one_that_is_cut_off_again_is_forgotten(log: Log, tail: Tail) -> None:
    log.write(b"one\n")
    read_all(tail)
    log.write(b"x" * 2000)
    read_all(tail)
    log.truncate(len(b"one\n"))
    log.write(b"two\n")
    assert read_all(tail) == [b"two"]
