"""A file that cannot be opened: said, tried again, and followed once it can be."""

import errno
import os

import pytest

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail


@pytest.mark.parametrize("number", [errno.EACCES, errno.EMFILE, errno.EIO])
def test_it_is_said_and_recovers(log: Log, tail: Tail, disk: FaultyDisk, number: int) -> None:
    log.write(b"one\n")
    disk.faults["open"] = number
    assert tail.read().lines == []
    assert (tail.up, tail.error) == (False, f"{log.path}: {os.strerror(number)}")
    disk.faults.clear()
    assert tail.read().lines == [b"one"]
    assert (tail.up, tail.error) == (True, None)


def test_what_a_file_holds_that_could_not_be_opened_is_still_history(log: Log, tail: Tail, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    disk.faults["open"] = errno.EACCES
    caught_up = []
    for _ in range(2):
        tail.look()
        caught_up.append(tail.caught_up)
        disk.faults.clear()
    assert caught_up == [True, False]  # at first, nothing is there that could be read
    assert not tail.read().live


def test_the_old_file_is_followed_while_the_new_one_cannot_be_opened(
    log: Log, tail: Tail, disk: FaultyDisk, clock: FixedClock
) -> None:
    log.write(b"one\n")
    read_all(tail)
    path = log.path
    log.rename("server.log.1")
    new = Log(path)
    new.write(b"three\n")
    disk.faults["open"] = errno.EMFILE
    clock.time += 100
    log.write(b"two\n")
    assert read_all(tail) == [b"two"]
    assert not tail.up
    disk.faults.clear()
    assert read_all(tail) == []
    clock.time += 2.0
    assert read_all(tail) == [b"three"]
    new.close()


def test_no_descriptor_is_left_open_when_a_file_cannot_be_looked_at(log: Log, tail: Tail, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    disk.faults["fstat"] = errno.EIO
    tail.read()
    assert not disk.opened
    assert tail.error == f"{log.path}: {os.strerror(errno.EIO)}"
