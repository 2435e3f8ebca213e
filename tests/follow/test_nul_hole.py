"""A writer that does not append goes on at its old offset after copytruncate: NULs without end come first."""

import gzip
import os
from pathlib import Path

import pytest

from follow.resuming import Restarted
from follow.written import FaultyDisk, Log, read_all

HOLE = 3 << 40


def write_behind_hole(path: Path, size: int, content: bytes) -> None:
    with path.open("r+b") as file:
        file.truncate(0)
        file.seek(size)
        file.write(content)


def test_it_costs_nothing_and_is_no_part_of_the_first_line(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    read_all(restarted.stream)
    write_behind_hole(log.path, HOLE, b"two\n")
    disk.sizes.clear()
    assert read_all(restarted.stream) == [b"two"]
    assert sum(disk.sizes) < 1 << 20
    assert restarted.stream.counts.bytes == len(b"one\ntwo\n")
    log.write(b"three\n")
    assert read_all(restarted.stream) == [b"three"]


@pytest.mark.parametrize("size", [1, 1023, 1024, 1025, 4096, 100_000])
@pytest.mark.parametrize("budget", [7, 1000, 256 << 10])
def test_where_holes_are_not_told_it_is_skipped_all_the_same(
    log: Log, restarted: Restarted, disk: FaultyDisk, size: int, budget: int
) -> None:
    disk.tells_holes = False
    write_behind_hole(log.path, size, b"two\n\0three\n")
    assert read_all(restarted.stream, budget) == [b"two", b"\0three"]


def test_a_hole_that_nothing_follows_yet(log: Log, restarted: Restarted) -> None:
    os.truncate(log.path, HOLE)
    assert read_all(restarted.stream) == []
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]


def test_in_a_compressed_copy(log: Log, restarted: Restarted) -> None:
    Path(f"{log.path}.1.gz").write_bytes(gzip.compress(bytes(1_000_000) + b"one\n"))
    restarted.start(".1.gz")
    assert read_all(restarted.stream) == [b"one"]
    assert restarted.stream.counts.bytes == len(b"one\n")


def test_after_a_restart_the_place_behind_it_is_found(log: Log, restarted: Restarted) -> None:
    write_behind_hole(log.path, HOLE, b"one\n")
    assert restarted.read_and_stop() == [b"one"]
    log.write(b"two\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"two"]
