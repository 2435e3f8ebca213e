"""Two rotations, or more, between two looks: the files in the middle were never seen at the path."""

from pathlib import Path

import pytest

from follow.resuming import Restarted, compress
from follow.written import Log, read_all
from sglang_exporter.clock import FixedClock


@pytest.mark.parametrize("compressed", [None, 1, 2, 3])
def test_the_files_between_are_read_in_order(log: Log, restarted: Restarted, compressed: int | None) -> None:
    log.write(b"one\n")
    read_all(restarted.stream)
    log.write(b"two\n")
    log.rename("server.log.3")
    Path(f"{restarted.path}.2").write_bytes(b"three\n")
    Path(f"{restarted.path}.1").write_bytes(b"four\n")
    restarted.path.write_bytes(b"five\n")
    if compressed:
        compress(Path(f"{restarted.path}.{compressed}"))
    assert restarted.read_to_the_end() == [b"two", b"three", b"four", b"five"]
    assert restarted.stream.counts.rotations == 3


def test_the_writer_of_the_last_one_is_waited_for(log: Log, restarted: Restarted, clock: FixedClock) -> None:
    log.write(b"one\n")
    read_all(restarted.stream)
    log.rename("server.log.2")
    between = Log(restarted.path)
    between.rename("server.log.1")
    restarted.path.write_bytes(b"three\n")
    read_all(restarted.stream)
    clock.time += 1.9
    assert read_all(restarted.stream) == []
    between.write(b"two\n")
    assert restarted.read_to_the_end() == [b"two", b"three"]
    between.close()


def test_where_the_first_one_is_gone_those_changed_since_are_read(log: Log, restarted: Restarted) -> None:
    older = Path(f"{restarted.path}.2")
    older.write_bytes(b"older, and never read\n")
    log.write(b"one\n")
    read_all(restarted.stream)
    log.path.unlink()
    Path(f"{restarted.path}.1").write_bytes(b"two\n")
    restarted.path.write_bytes(b"three\n")
    assert restarted.read_to_the_end() == [b"two", b"three"]


def test_where_numbers_rise_older_files_stay_unread(log: Log, restarted: Restarted) -> None:
    for number in (1, 2):
        older = Log(Path(f"{restarted.path}.{number}"))
        older.write(b"older, and never read\n")
        older.set_age(3600)
        older.close()
    log.write(b"one\n")
    read_all(restarted.stream)
    log.rename("server.log.3")
    restarted.path.write_bytes(b"two\n")
    assert restarted.read_to_the_end() == [b"two"]
