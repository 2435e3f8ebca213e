"""A restart, and the log has been copied and cut to nothing meanwhile."""

import shutil
from pathlib import Path

import pytest

from follow.resuming import Restarted, compress
from follow.written import Log


def copy_and_truncate(log: Log) -> Path:
    copy = Path(shutil.copyfile(log.path, f"{log.path}.1"))
    log.truncate()
    return copy


@pytest.mark.parametrize("is_compressed", [False, True])
@pytest.mark.parametrize("grown", [0, 1, 5000])
def test_the_copy_holds_the_rest(log: Log, restarted: Restarted, *, is_compressed: bool, grown: int) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.write(b"two\n")
    copy = copy_and_truncate(log)
    if is_compressed:
        compress(copy)
    log.write(b"three\n" + b"x\n" * grown)
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"] + [b"x"] * grown
    assert restarted.stream.counts.lost_bytes == 0


def test_a_log_that_was_empty_so_far(log: Log, restarted: Restarted) -> None:
    restarted.read_and_stop()
    log.write(b"one\n")
    copy_and_truncate(log)
    log.write(b"two\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"one", b"two"]


def test_without_a_copy_the_log_is_read_from_its_beginning_and_the_place_is_lost(
    log: Log, restarted: Restarted
) -> None:
    log.write(b"one\ntwo\n")
    restarted.stream.read(budget=4)
    restarted.stop()
    log.truncate()
    log.write(b"three\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"three"]
    assert restarted.stream.lost_position
    assert restarted.stream.counts.lost_bytes == len(b"two\n")


def test_a_stop_while_the_copy_is_read(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    assert restarted.stream.read().lines == [b"one"]
    log.write(b"two\nthree\n")
    copy_and_truncate(log)
    log.write(b"4\n")
    assert restarted.stream.read(budget=4).lines == [b"two"]
    restarted.stop()
    restarted.start()
    assert restarted.read_to_the_end() == [b"three", b"4"]
