"""On NFS, what is told of a file may be that of some seconds ago: nothing is lost, or counted as lost, for that."""

import errno
import gzip
import shutil
from collections.abc import Iterator

import pytest

from follow.resuming import Restarted, compress
from follow.written import LaggingDisk, Log, read_all


@pytest.fixture
def disk() -> Iterator[LaggingDisk]:
    disk = LaggingDisk()
    yield disk
    assert not disk.opened


def test_a_size_of_before_the_truncation_is_not_counted_as_lost(
    log: Log, restarted: Restarted, disk: LaggingDisk
) -> None:
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    log.truncate()
    disk.lags = True
    for _ in range(3):
        assert restarted.stream.read().lines == []
    disk.lags = False
    assert read_all(restarted.stream) == []
    log.write(b"two\n")
    assert restarted.read_to_the_end() == [b"two"]
    assert restarted.stream.counts.truncations == 1
    assert restarted.stream.counts.lost_bytes == 0


def test_an_identity_of_before_two_rotations_does_not_change_the_order(
    log: Log, restarted: Restarted, disk: LaggingDisk
) -> None:
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    log.truncate()
    log.write(b"two\n")
    log.rename("server.log.2")
    restarted.path.with_name("server.log.1").write_bytes(b"three\n")
    restarted.path.write_bytes(b"four\n")
    disk.lags = True
    read = restarted.stream.read().lines
    disk.lags = False
    assert read + restarted.read_to_the_end() == [b"two", b"three", b"four"]


def test_what_was_compressed_meanwhile_comes_once(log: Log, restarted: Restarted, disk: LaggingDisk) -> None:
    log.write(b"one\n")
    restarted.stream.read(budget=1)
    shutil.copyfile(log.path, f"{restarted.path}.2")
    log.truncate()
    log.write(b"two\nthree\n")
    log.rename("server.log.1")
    compress(log.path)
    restarted.path.write_bytes(b"four\n")
    disk.lags = True
    read = restarted.stream.read(budget=1).lines
    disk.lags = False
    assert read + restarted.read_to_the_end() == [b"one", b"two", b"three", b"four"]


def test_a_packed_file_is_known_whatever_size_was_told_of_its_inode_before(
    log: Log, restarted: Restarted, disk: LaggingDisk
) -> None:
    packed = restarted.path.with_name("server.log.1.gz")
    packed.write_bytes(gzip.compress(b""))
    disk.stat(str(packed))
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    packed.write_bytes(gzip.compress(b"one\ntwo\n"))
    log.truncate()
    log.write(b"three\n")
    disk.lags = True
    read = read_all(restarted.stream)
    disk.lags = False
    assert read + restarted.read_to_the_end() == [b"two", b"three"]


def test_an_empty_copy_is_taken_once_though_the_size_of_the_log_is_not_told_yet(
    log: Log, restarted: Restarted, disk: LaggingDisk
) -> None:
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    log.truncate()
    log.set_age(10.0)
    assert read_all(restarted.stream) == []
    restarted.path.with_name("server.log.1.gz").write_bytes(gzip.compress(b""))
    log.write(bytes(4096) + b"two\n")
    disk.lags = True
    read = read_all(restarted.stream)
    disk.lags = False
    assert read + restarted.read_to_the_end() == [b"two"]
    assert restarted.stream.counts.truncations == 1


def test_a_file_is_not_taken_for_lost_while_its_path_still_leads_to_the_one_before(
    log: Log, restarted: Restarted, disk: LaggingDisk
) -> None:
    run = restarted.path.with_name("run-1.log")
    log.rename(run.name)
    disk.stat(str(run))
    run.with_name("new").write_bytes(b"one\ntwo\n")
    run.with_name("new").replace(run)
    restarted.path.symlink_to(run.name)
    assert restarted.stream.read(budget=4).lines == [b"one"]
    restarted.stop()
    restarted.path.with_name("run-2.log").write_bytes(b"three\n")
    restarted.path.unlink()
    restarted.path.symlink_to("run-2.log")
    disk.stat(str(restarted.path))
    restarted.start()
    disk.lags = True
    read = read_all(restarted.stream)
    disk.lags = False
    assert read + restarted.read_to_the_end() == [b"two", b"three"]
    assert restarted.stream.counts.lost_bytes == 0


def test_what_was_compressed_is_known_by_its_first_bytes_though_its_size_was_not_told(
    log: Log, restarted: Restarted, disk: LaggingDisk
) -> None:
    log.write(bytes(5))
    assert read_all(restarted.stream) == []
    log.write(b"one\n")
    disk.lags = True
    assert restarted.stream.read().lines == []
    disk.lags = False
    log.rename("server.log.1")
    compress(log.path)
    restarted.path.write_bytes(b"two\n")
    disk.faults["fstat"] = errno.ESTALE
    assert restarted.stream.read().lines == []
    disk.faults.clear()
    disk.lags = True
    read = read_all(restarted.stream)
    disk.lags = False
    assert read + restarted.read_to_the_end() == [b"one", b"two"]


def test_a_path_that_is_told_of_later_than_its_open_file_has_lost_nothing(
    log: Log, restarted: Restarted, disk: LaggingDisk
) -> None:
    log.write(b"one\n")
    disk.stat(str(log.path))
    log.write(b"two\n")
    disk.lags = True
    lines = [line for _ in range(3) for line in restarted.stream.read(budget=1).lines]
    disk.lags = False
    assert lines + restarted.read_to_the_end() == [b"one", b"two"]
    assert restarted.stream.counts.lost_bytes == 0
