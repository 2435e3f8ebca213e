"""A log that is renamed, and a new one under its name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail


@pytest.fixture
def new(log: Log, tail: Tail, path: Path) -> Iterator[Log]:
    """Return the second log, after the first one, `one` and `tw` in it, has been renamed."""
    log.write(b"one\ntw")
    read_all(tail)
    log.rename("server.log.1")
    new = Log(path)
    yield new
    new.close()


def test_the_old_file_is_read_to_its_end_before_the_new_one(log: Log, new: Log, tail: Tail, clock: FixedClock) -> None:
    new.write(b"four\n")
    log.write(b"o\nthree\n")
    assert read_all(tail) == [b"two", b"three"]
    clock.time += 2.0
    assert read_all(tail) == [b"four"]
    assert tail.counts.rotations == 1
    assert tail.counts.truncations == tail.counts.lost_bytes == 0


def test_a_late_writer_is_waited_for(log: Log, new: Log, tail: Tail, clock: FixedClock) -> None:
    new.write(b"late enough\n")
    for piece in (b"o\n", b"three\n", b"four\n"):
        log.write(piece)
        read_all(tail)
        clock.time += 1.9
        assert read_all(tail) == []
    clock.time += 0.1
    assert read_all(tail) == [b"late enough"]


def test_one_that_has_long_been_idle_is_waited_for_from_the_rotation_on(
    log: Log, new: Log, tail: Tail, clock: FixedClock
) -> None:
    new.write(b"three\n")
    clock.time += 3600
    assert read_all(tail) == []
    log.write(b"o\n")
    assert read_all(tail) == [b"two"]


def test_the_old_files_last_line_comes_without_its_line_feed(new: Log, tail: Tail, clock: FixedClock) -> None:
    new.write(b"three\n")
    assert read_all(tail) == []
    clock.time += 2.0
    assert tail.read().lines == [b"tw"]
    assert read_all(tail) == [b"three"]


def test_while_the_new_file_is_empty_the_writer_may_not_have_moved_on(
    log: Log, new: Log, tail: Tail, clock: FixedClock
) -> None:
    read_all(tail)
    clock.time += 100
    assert read_all(tail) == []
    log.write(b"o\n")
    assert read_all(tail) == [b"two"]
    new.write(b"three\n")
    clock.time += 100
    assert read_all(tail) == [b"three"]


def test_bytes_that_wait_for_the_old_file_are_not_behind(new: Log, tail: Tail) -> None:
    new.write(b"three\n")
    tail.read()
    assert tail.behind == 0


def test_files_that_are_rotated_faster_than_they_are_read_keep_their_order(
    new: Log, tail: Tail, path: Path, clock: FixedClock
) -> None:
    logs = [new]
    for i in range(3):
        logs[-1].write(b"line of %d\n" % i)
        tail.look()
        logs[-1].rename(f"renamed.{i}")
        logs.append(Log(path))
    logs[-1].write(b"line of 3\n")
    assert read_all(tail) == []
    clock.time += 2.0  # they are waited for together
    for expected in ([b"tw", b"line of 0"], [b"line of 1"], [b"line of 2"], [b"line of 3"]):
        assert read_all(tail) == expected
    assert tail.counts.rotations == 4
    for log in logs[1:]:
        log.close()


def test_an_old_file_that_takes_long_to_read_is_read_to_its_end(
    log: Log, new: Log, tail: Tail, clock: FixedClock
) -> None:
    new.write(b"three\n")
    tail.read()
    log.write(b"o" * 5000)
    clock.time += 100
    tail.read(budget=10)
    clock.time += 100
    assert read_all(tail, budget=10) == [b"tw" + b"o" * 5000, b"three"]


def test_one_file_of_two_stays_open(new: Log, tail: Tail, clock: FixedClock, disk: FaultyDisk) -> None:
    new.write(b"three\n")
    read_all(tail)
    assert len(disk.opened) == 2
    clock.time += 2.0
    read_all(tail)
    assert len(disk.opened) == 1


def test_a_clock_that_is_set_back_does_not_make_it_wait_for_ever(new: Log, tail: Tail, clock: FixedClock) -> None:
    new.write(b"three\n")
    read_all(tail)
    clock.time -= 86400
    assert read_all(tail) == []
    clock.time += 2.0
    assert read_all(tail) == [b"tw", b"three"]


def test_a_file_that_is_renamed_away_and_back_goes_on_where_it_was(
    log: Log, new: Log, tail: Tail, clock: FixedClock
) -> None:
    new.write(b"three\n")
    read_all(tail)
    new.rename("server.log.2")
    log.rename("server.log")
    log.write(b"o\n")
    assert read_all(tail) == [b"three"]
    clock.time += 2.0
    assert read_all(tail) == [b"two"]


def test_history_that_is_rotated_away_is_still_history(log: Log, path: Path, tail: Tail, clock: FixedClock) -> None:
    log.write(b"one\ntwo")
    tail.read(budget=3)
    log.rename("server.log.1")
    new = Log(path)
    new.write(b"three\n")
    assert not tail.caught_up
    assert not tail.read().live
    clock.time += 2.0
    assert tail.read() == ([b"two"], False, log.path.stat().st_mtime)
    assert tail.read().live
    new.close()
