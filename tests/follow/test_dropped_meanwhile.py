"""A look at what has come since fails for a moment, and until the next one rotation drops a file that it saw."""

import errno
from pathlib import Path

import pytest

from follow.resuming import Restarted
from follow.written import FaultyDisk, Log


@pytest.mark.parametrize("number", [5, 6, 7])
def test_what_is_dropped_before_the_next_look_is_told_as_lost(
    log: Log, restarted: Restarted, disk: FaultyDisk, number: int
) -> None:
    log.write(b"one\n")
    log.set_age(100)
    assert restarted.stream.read().lines == [b"one"]
    log.rename("server.log.2")
    between = Path(f"{restarted.path}.1")
    between.write_bytes(b"two\ntwo\n")
    restarted.path.write_bytes(b"three\n")
    disk.fail_read(number, errno.ESTALE)
    assert restarted.stream.read().lines == []
    assert restarted.stream.error
    between.unlink()
    assert restarted.read_to_the_end() == [b"three"]
    assert restarted.stream.counts.lost_bytes == len(b"two\ntwo\n")
