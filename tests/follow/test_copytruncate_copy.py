"""copytruncate: what was written before the copy, and had not been read, is only in the copy by now."""

import errno
import shutil
from pathlib import Path

import pytest

from follow.resuming import Restarted, compress
from follow.written import FaultyDisk, Log, read_all


def copy_and_truncate(log: Log) -> Path:
    copy = Path(shutil.copyfile(log.path, f"{log.path}.1"))
    log.truncate()
    return copy


@pytest.mark.parametrize("is_compressed", [False, True])
def test_the_rest_is_read_from_it(log: Log, restarted: Restarted, *, is_compressed: bool) -> None:
    log.write(b"one\n")
    read_all(restarted.stream)
    log.write(b"two\n")
    copy = copy_and_truncate(log)
    if is_compressed:
        compress(copy)
    log.write(b"three\n")
    assert restarted.read_to_the_end() == [b"two", b"three"]
    assert (restarted.stream.counts.truncations, restarted.stream.counts.lost_bytes) == (1, 0)


def test_of_a_first_line_that_was_not_complete_too(log: Log, restarted: Restarted) -> None:
    log.write(b"on")
    read_all(restarted.stream)
    log.write(b"e\ntwo\n")
    copy_and_truncate(log)
    log.write(b"three\n")
    assert restarted.read_to_the_end() == [b"one", b"two", b"three"]


def test_a_rotated_log_with_other_content_is_no_copy(log: Log, restarted: Restarted) -> None:
    Path(f"{log.path}.1").write_bytes(b"other\ncontent\n")
    log.write(b"one\n")
    read_all(restarted.stream)
    log.truncate()
    log.write(b"three\n")
    assert restarted.read_to_the_end() == [b"three"]


def test_what_the_copy_does_not_hold_is_lost_and_counted(log: Log, restarted: Restarted) -> None:
    log.write(b"one\ntwo\nthree\n")
    restarted.stream.read(budget=4)
    copy = copy_and_truncate(log)
    copy.write_bytes(b"one\ntwo\n")
    assert restarted.read_to_the_end() == [b"two"]
    assert restarted.stream.counts.lost_bytes == len(b"three\n")


def test_the_copy_is_looked_for_until_the_disk_is_well(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    read_all(restarted.stream)
    log.write(b"two\n")
    copy_and_truncate(log)
    disk.faults["names"] = errno.EMFILE
    assert read_all(restarted.stream) == []
    disk.faults.clear()
    assert read_all(restarted.stream) == [b"two"]
    assert restarted.stream.counts.truncations == 1


def test_the_copy_is_not_read_again_after_a_rotation(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    read_all(restarted.stream)
    log.write(b"two\n")
    copy_and_truncate(log)
    assert restarted.read_to_the_end() == [b"two"]
    log.path.unlink()
    Path(f"{log.path}.1").touch()
    restarted.path.write_bytes(b"three\n")
    assert restarted.read_to_the_end() == [b"three"]
