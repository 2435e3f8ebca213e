"""A disk that fails while a file is read: EIO, and NFS's ESTALE."""

import errno
import os
from pathlib import Path

import pytest

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.position import KEPT
from sglang_exporter.follow.tail import Tail

_MORE_THAN_A_GLANCE = 100_000


@pytest.mark.parametrize("number", [errno.EIO, errno.ESTALE])
def test_no_line_is_lost_and_none_comes_twice(log: Log, tail: Tail, disk: FaultyDisk, number: int) -> None:
    log.write(b"one\ntw")
    assert read_all(tail) == [b"one"]
    log.write(b"o\nthree\n")
    disk.faults["pread"] = number
    assert tail.read().lines == []
    assert (tail.up, tail.error) == (False, f"{log.path}: {os.strerror(number)}")
    assert tail.behind == 0  # reading again at once would not help
    disk.faults.clear()
    assert read_all(tail) == [b"two", b"three"]
    assert (tail.up, tail.error) == (True, None)
    assert tail.counts.truncations == tail.counts.rotations == 0


@pytest.mark.parametrize("position", [0, 4, 6, 30_006, 60_006, 90_006])
def test_whichever_read_fails_nothing_is_lost(log: Log, tail: Tail, disk: FaultyDisk, position: int) -> None:
    log.write(b"one\ntw")
    read_all(tail)
    log.write(b"o\n" + b"x" * _MORE_THAN_A_GLANCE + b"\n")
    disk.fail_read(log.path, position, errno.EIO)
    assert read_all(tail, budget=30_000) + read_all(tail, budget=30_000) == [b"two", b"x" * _MORE_THAN_A_GLANCE]


def test_a_glance_that_fails_loses_nothing(log: Log, tail: Tail, disk: FaultyDisk) -> None:
    log.write(b"one\ntw")
    read_all(tail)
    log.write(b"o\nthree\n")
    disk.fail_read(log.path, 0, errno.EIO)
    assert tail.read().lines == []
    assert read_all(tail) == [b"two", b"three"]


def test_a_stale_descriptor_is_exchanged_and_reading_goes_on_where_it_was(
    log: Log, tail: Tail, disk: FaultyDisk
) -> None:
    log.write(b"one\ntw")
    read_all(tail)
    disk.stale |= disk.opened
    log.write(b"o\n")
    assert read_all(tail) == []
    assert read_all(tail) == [b"two"]
    assert len(disk.opened) == 1


def test_one_failure_of_a_renamed_file_that_was_waited_for_costs_nothing(
    log: Log, tail: Tail, disk: FaultyDisk, path: Path, clock: FixedClock
) -> None:
    log.write(b"one")
    read_all(tail)
    log.rename("server.log.1")
    new = Log(path)
    new.write(b"two\n")
    read_all(tail)
    clock.time += 100
    disk.fail_read(log.path, 0, errno.EIO)
    assert read_all(tail) == []
    clock.time += 2.0
    assert read_all(tail) == [b"one", b"two"]
    assert tail.counts.lost_bytes == 0
    new.close()


def test_a_failing_last_line_comes_when_the_disk_is_well_again(log: Log, tail: Tail, disk: FaultyDisk) -> None:
    log.write(b"one")
    read_all(tail)
    disk.faults["pread"] = errno.EIO
    assert tail.finish() == []
    disk.faults.clear()
    assert tail.finish() == [b"one"]


def test_a_stale_file_that_was_replaced_is_given_up_and_what_was_unread_is_lost(
    log: Log, tail: Tail, disk: FaultyDisk, path: Path, clock: FixedClock
) -> None:
    log.write(b"one\ntwo\n")
    tail.read(budget=4)
    disk.stale |= disk.opened
    log.path.unlink()
    new = Log(path)
    new.write(b"three\n")
    tail.read()
    tail.read()
    clock.time += 2.0
    tail.read()
    disk.stale.clear()
    assert read_all(tail) == [b"three"]
    assert tail.counts.lost_bytes == len(b"two\n")
    new.close()


def test_a_file_that_fails_after_one_that_was_given_up_is_waited_for_as_well(
    log: Log, tail: Tail, disk: FaultyDisk, path: Path, clock: FixedClock
) -> None:
    log.write(b"one")
    read_all(tail)
    log.rename("server.log.2")
    second = Log(path)
    second.write(b"two\n")
    read_all(tail)
    second.rename("server.log.1")
    Log(path).write(b"three\n")
    read_all(tail)
    clock.time += 100
    disk.stale |= disk.opened
    tail.read()
    clock.time += 100
    tail.read()  # the first one is given up
    tail.read()
    disk.stale.clear()
    clock.time += 100
    assert read_all(tail) + read_all(tail) == [b"two", b"three"]


def test_a_file_that_cannot_be_closed_is_closed(log: Log, tail: Tail, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    read_all(tail)
    disk.faults["close"] = errno.EIO
    tail.close()
    assert not disk.opened


@pytest.mark.parametrize(
    ("position", "size"), [(_MORE_THAN_A_GLANCE - KEPT, KEPT), (_MORE_THAN_A_GLANCE, 1), (0, _MORE_THAN_A_GLANCE)]
)
def test_a_file_that_is_cut_between_two_reads_of_one_line_gives_no_half_line(
    log: Log, tail: Tail, disk: FaultyDisk, position: int, size: int
) -> None:
    log.write(b"x" * _MORE_THAN_A_GLANCE)
    read_all(tail)
    log.write(b"\n")
    disk.before_read(log.path, position, lambda: log.truncate(10), size=size)
    assert read_all(tail) == []
    log.write(b"y\n")
    assert read_all(tail) == [b"x" * 10 + b"y"]
