"""A restart fails for a moment, and until the next try rotation drops, moves, copies or compresses what that has seen."""

import errno
from pathlib import Path

import pytest

from follow.resuming import Restarted, compress
from follow.written import FaultyDisk, Log

READ, UNREAD, LAST = b"one\n", b"two\ntwo\n", b"three\n"


@pytest.fixture
def rotated(log: Log, restarted: Restarted) -> Path:
    """A log of which the first line was read; it was then rotated with lines that were not."""
    log.write(READ)
    log.set_age(200)
    restarted.read_and_stop()
    log.write(UNREAD)
    log.set_age(100)
    log.rename("server.log.1")
    restarted.path.write_bytes(LAST)
    return log.path


def fail_once(restarted: Restarted, disk: FaultyDisk, begun: Path) -> None:
    """Let the file that was begun, wherever it is by now, not be read when it is looked for."""
    disk.fail_read(begun, 0, errno.ESTALE)
    assert restarted.stream.read().lines == []


def test_what_is_dropped_is_told_as_lost(rotated: Path, restarted: Restarted, disk: FaultyDisk) -> None:
    restarted.start()
    fail_once(restarted, disk, rotated)
    rotated.unlink()
    assert restarted.read_to_the_end() == [b"three"]
    assert restarted.stream.counts.lost_bytes == len(UNREAD)


def test_what_is_dropped_while_the_exporter_is_stopped_once_more_is_told_too(
    rotated: Path, restarted: Restarted, disk: FaultyDisk
) -> None:
    restarted.start()
    fail_once(restarted, disk, rotated)
    restarted.stop()
    rotated.unlink()
    restarted.start()
    assert restarted.read_to_the_end() == [b"three"]
    assert restarted.stream.counts.lost_bytes == len(UNREAD)


def test_what_was_written_after_the_checkpoint_and_is_dropped_before_the_first_try_cannot_be_told(
    rotated: Path, restarted: Restarted
) -> None:
    rotated.unlink()
    restarted.start()
    assert restarted.read_to_the_end() == [b"three"]
    assert restarted.stream.counts.lost_bytes == 0


def test_a_whole_file_that_is_dropped_is_told(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    log.write(READ)
    log.set_age(200)
    restarted.read_and_stop()
    log.rename("server.log.2")
    between = Path(f"{restarted.path}.1")
    between.write_bytes(UNREAD)
    restarted.path.write_bytes(LAST)
    restarted.start()
    fail_once(restarted, disk, log.path)
    between.unlink()
    assert restarted.read_to_the_end() == [b"three"]
    assert restarted.stream.counts.lost_bytes == len(UNREAD)


@pytest.mark.parametrize("moved", ["renamed", "compressed", "grown"])
def test_what_is_still_there_is_read_and_not_told(
    rotated: Path, restarted: Restarted, disk: FaultyDisk, log: Log, moved: str
) -> None:
    restarted.start()
    fail_once(restarted, disk, rotated)
    more = []
    if moved == "renamed":
        rotated.rename(f"{restarted.path}.2")
    elif moved == "compressed":
        compress(rotated)
    else:
        log.write(b"late\n")
        more = [b"late"]
    assert restarted.read_to_the_end() == [b"two", b"two", *more, b"three"]
    assert restarted.stream.counts.lost_bytes == 0


def test_what_was_copied_before_it_was_cut_is_not_told(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    log.write(READ)
    log.set_age(200)
    restarted.read_and_stop()
    log.write(UNREAD)
    log.set_age(100)
    restarted.start()
    fail_once(restarted, disk, log.path)
    Path(f"{restarted.path}.1").write_bytes(READ + UNREAD)
    log.truncate()
    assert restarted.read_to_the_end() == [b"two", b"two"]
    assert restarted.stream.counts.lost_bytes == 0


def test_what_had_been_read_already_is_not_told(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    older = Path(f"{restarted.path}.2")
    older.write_bytes(b"zero\n")
    log.write(READ)
    log.set_age(-100)
    restarted.stream.close()
    restarted.start(".2")
    restarted.read_to_the_end()
    restarted.stop()
    log.write(LAST)
    restarted.start()
    fail_once(restarted, disk, log.path)
    older.unlink()
    assert restarted.read_to_the_end() == [b"three"]
    assert restarted.stream.counts.lost_bytes == 0


def test_what_was_cut_in_place_is_told_though_more_was_written_since(
    log: Log, restarted: Restarted, disk: FaultyDisk
) -> None:
    log.write(READ)
    restarted.stream.read(budget=1)
    log.truncate()
    restarted.stop()
    log.write(UNREAD)
    restarted.start()
    fail_once(restarted, disk, log.path)
    assert restarted.read_to_the_end() == [b"two", b"two"]
    assert restarted.stream.counts.lost_bytes == len(READ)
