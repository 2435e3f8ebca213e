"""On NFS, what is told of a file may be that of some seconds ago: nothing is lost, or counted as lost, for that."""

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
