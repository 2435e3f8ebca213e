"""Copytruncate more often than anybody looks, or before the first byte was read: each copy is read once, in order."""

import errno
import shutil
from pathlib import Path

from follow.resuming import Restarted, compress
from follow.written import FaultyDisk, Log, read_all


def copy(path: Path, ending: str = ".1") -> Path:
    """Copy a log, as logrotate does before it cuts it."""
    return Path(shutil.copyfile(path, f"{path}{ending}"))


def test_two_copies_that_were_made_between_looks_are_read(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    copy(log.path, ".2")
    log.truncate()
    log.write(b"two\n")
    copy(log.path)
    log.truncate()
    log.write(b"three\n")
    assert restarted.read_to_the_end() == [b"two", b"three"]
    assert restarted.stream.counts.lost_bytes == 0


def test_a_file_that_was_not_read_yet_is_known_by_its_first_bytes(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    read_all(restarted.stream)
    log.rename("old")
    new = Log(restarted.path)
    new.write(b"two\n")
    assert read_all(restarted.stream) == []  # the old one is waited for
    copy(new.path)
    new.truncate()
    new.write(b"three\n")
    assert restarted.read_to_the_end() == [b"two", b"three"]
    new.close()


def test_what_came_and_went_in_a_file_that_was_empty_is_read(log: Log, restarted: Restarted) -> None:
    log.set_age(10.0)
    assert read_all(restarted.stream) == []
    log.write(b"one\n")
    copy(log.path)
    log.truncate()
    log.write(b"two\n")
    assert restarted.read_to_the_end() == [b"one", b"two"]


def test_a_copy_that_is_not_finished_is_no_file_of_its_own(log: Log, restarted: Restarted) -> None:
    log.set_age(10.0)
    assert read_all(restarted.stream) == []
    log.write(b"one\ntwo\n")
    copy(log.path).write_bytes(b"one\n")
    assert read_all(restarted.stream) == [b"one", b"two"]
    copy(log.path)
    log.truncate()
    log.write(b"three\n")
    assert restarted.read_to_the_end() == [b"three"]


def test_what_was_written_after_a_truncation_and_then_compressed_comes_once(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    log.truncate()
    log.write(b"two\n")
    log.rename("server.log.1")
    compress(log.path)
    restarted.path.write_bytes(b"three\n")
    assert restarted.read_to_the_end() == [b"two", b"three"]


def test_a_copy_beside_what_a_link_led_to_is_read(restarted: Restarted) -> None:
    first, second = (Log(restarted.path.with_name(name)) for name in ("run-1.log", "run-2.log"))
    restarted.path.symlink_to(first.path)
    first.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    first.write(b"two\n")
    copy(first.path)
    first.truncate()
    restarted.path.unlink()
    restarted.path.symlink_to(second.path)
    second.write(b"three\n")
    assert restarted.read_to_the_end() == [b"two", b"three"]
    first.close()
    second.close()


def test_a_copy_with_a_hole_is_found(restarted: Restarted) -> None:
    restarted.path.write_bytes(bytes(5000) + b"one\n")
    restarted.stream.read(budget=1)
    copy(restarted.path)
    with restarted.path.open("r+b") as log:
        log.truncate(0)
        log.seek(5004)
        log.write(b"two\n")
    assert restarted.read_to_the_end() == [b"one", b"two"]
    assert restarted.stream.counts.lost_bytes == 0


def test_a_rotated_file_that_we_may_not_read_stops_nothing(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    disk.hidden.add(str(copy(log.path)))
    log.truncate()
    log.write(b"two\n")
    assert restarted.read_to_the_end() == [b"two"]


def test_a_file_without_rotated_ones_is_read_though_no_other_can_be_opened(
    log: Log, restarted: Restarted, disk: FaultyDisk
) -> None:
    assert read_all(restarted.stream) == []
    log.write(b"one\n")
    disk.faults["open"] = errno.EMFILE
    assert read_all(restarted.stream) == [b"one"]


def test_what_came_and_went_before_a_vain_look_is_read_though_that_knows_the_next_content(
    log: Log, restarted: Restarted, disk: FaultyDisk
) -> None:
    log.set_age(10.0)
    assert read_all(restarted.stream) == []
    log.write(b"one\n")
    copy(log.path, ".2")
    log.truncate()
    log.write(b"two\n")
    disk.faults["names"] = errno.ESTALE
    assert restarted.stream.read().lines == []
    disk.faults.clear()
    copy(log.path)
    log.truncate()
    log.write(b"three\n")
    assert restarted.read_to_the_end() == [b"one", b"two", b"three"]


def test_a_file_that_waits_is_looked_into_anew_once_it_was_cut(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    log.path.unlink()
    waiting = Log(restarted.path)
    waiting.write(b"two\n")
    restarted.stream.read()
    restarted.stream.read()
    copy(restarted.path)
    waiting.truncate()
    restarted.stream.read()
    restarted.path.unlink()
    Log(restarted.path).write(b"three\n")
    assert restarted.read_to_the_end() == [b"two", b"three"]
    assert restarted.stream.counts.lost_bytes == 0
