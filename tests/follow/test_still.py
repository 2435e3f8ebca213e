"""What has not changed is not read again: its status tells, once two changes cannot have left the same one."""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail

SURE = 2.0
LONGEST = 30.0


class FrozenDisk(FaultyDisk):
    """A disk whose status of a path stays what it was when it was `frozen`: of two changes within a tick, one shows."""

    def __init__(self) -> None:
        super().__init__()
        self.frozen: os.stat_result | None = None

    def stat(self, path: str) -> os.stat_result:
        return self.frozen or super().stat(path)

    def freeze(self, path: Path) -> None:
        self.frozen = path.stat()


@pytest.fixture
def disk() -> FrozenDisk:
    return FrozenDisk()


@pytest.fixture
def tail(log: Log, disk: FrozenDisk, clock: FixedClock) -> Iterator[Tail]:
    """A tail that has read the log's one line."""
    log.write(b"one\n")
    tail = Tail(str(log.path), clock, from_start_is_history=False, disk=disk)
    assert read_all(tail) == [b"one"]
    yield tail
    tail.close()


def reads(tail: Tail, disk: FaultyDisk) -> int:
    """Return how often a look at the path reads bytes."""
    before = len(disk.sizes)
    assert tail.read().lines == []
    return len(disk.sizes) - before


def rest(tail: Tail, clock: FixedClock) -> None:
    """Look often enough to be sure."""
    for _ in range(3):
        tail.read()
        clock.time += SURE
    assert tail.still


def test_after_two_seconds_no_byte_is_looked_at(tail: Tail, disk: FrozenDisk, clock: FixedClock) -> None:
    assert reads(tail, disk)
    clock.time += SURE - 0.1
    assert reads(tail, disk)
    clock.time += 0.1
    assert reads(tail, disk)  # this one makes sure
    assert not tail.still
    assert reads(tail, disk) == 0
    assert tail.still


@pytest.mark.parametrize("change", ["append", "rewrite", "truncate", "replace"])
def test_any_change_of_the_status_is_looked_into(tail: Tail, log: Log, clock: FixedClock, change: str) -> None:
    rest(tail, clock)
    match change:
        case "append":
            log.write(b"two\n")
        case "rewrite":
            log.path.write_bytes(b"two\n")
        case "truncate":
            log.truncate()
            log.write(b"two\n")
        case _:
            new = log.path.with_name("new")
            new.write_bytes(b"two\n")
            new.replace(log.path)
    lines = read_all(tail)
    clock.time += SURE
    assert lines + read_all(tail) == [b"two"]
    assert not tail.still


def test_a_second_change_within_a_tick_is_seen_for_two_seconds(
    tail: Tail, log: Log, disk: FrozenDisk, clock: FixedClock
) -> None:
    disk.freeze(log.path)
    tail.read()
    log.path.write_bytes(b"two\n")
    clock.time += SURE
    assert tail.read().lines == [b"two"]


def test_bytes_are_looked_at_each_half_a_minute(tail: Tail, disk: FrozenDisk, clock: FixedClock) -> None:
    rest(tail, clock)
    clock.time += LONGEST
    assert reads(tail, disk)
    assert reads(tail, disk) == 0


def test_a_clock_that_was_set_back_keeps_nothing_still(tail: Tail, disk: FrozenDisk, clock: FixedClock) -> None:
    rest(tail, clock)
    clock.time -= 3600
    assert reads(tail, disk)
    clock.time += SURE
    reads(tail, disk)
    assert reads(tail, disk) == 0


def test_a_path_that_leads_nowhere_is_not_still(tail: Tail, log: Log, clock: FixedClock) -> None:
    rest(tail, clock)
    log.path.unlink()
    assert tail.read().lines == []
    assert not tail.still
    assert tail.error


def test_what_waits_to_be_read_is_not_still(tail: Tail, log: Log, clock: FixedClock) -> None:
    log.write(b"two\nthree\n")
    lines = tail.read(budget=4).lines
    for _ in range(3):
        clock.time += SURE
        assert not tail.still
        lines += tail.read(budget=1).lines
    assert lines + read_all(tail) == [b"two", b"three"]


def test_a_tail_is_at_its_end_until_it_fails(tail: Tail, log: Log, disk: FrozenDisk) -> None:
    log.write(b"two")
    seen = [read_all(tail) == [] and tail.at_end]
    disk.faults["pread"] = errno.EIO
    seen.append(tail.unfinished().lines == [] and tail.at_end)
    disk.faults.clear()
    seen.append(read_all(tail) == [] and tail.at_end)
    tail.close()
    assert [*seen, tail.at_end] == [True, False, True, False]
