"""A look at what has come since fails for a moment, and until the next one rotation drops a file that it saw."""

import errno
from pathlib import Path

import pytest

from follow.resuming import Restarted
from follow.written import FaultyDisk, Log
from sglang_exporter.follow.position import KEPT

READ = b"x" * 2 * KEPT + b"\n"


@pytest.mark.parametrize(
    ("ending", "position"), [(".2", 0), (".2", len(READ) - KEPT), (".1", 0)], ids=["head", "before", "new"]
)
def test_what_is_dropped_before_the_next_look_is_told_as_lost(
    log: Log, restarted: Restarted, disk: FaultyDisk, ending: str, position: int
) -> None:
    log.write(READ)
    log.set_age(100)
    assert len(restarted.stream.read().lines) == 1
    log.rename("server.log.2")
    between = Path(f"{restarted.path}.1")
    between.write_bytes(b"two\ntwo\n")
    restarted.path.write_bytes(b"three\n")
    failing = Path(f"{restarted.path}{ending}")
    disk.after_listing(restarted.path.parent, lambda: disk.fail_read(failing, position, errno.ESTALE))
    assert restarted.stream.read().lines == []
    assert restarted.stream.error
    between.unlink()
    assert restarted.read_to_the_end() == [b"three"]
    assert restarted.stream.counts.lost_bytes == len(b"two\ntwo\n")
