"""A path that is a symbolic link, as Kubernetes makes them, and leads to another file from now on."""

from pathlib import Path

from follow.written import Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail


def test_the_old_target_is_read_to_its_end_and_then_the_new_one(tmp_path: Path, clock: FixedClock) -> None:
    first, second = Log(tmp_path / "0"), Log(tmp_path / "1")
    link = tmp_path / "server.log"
    link.symlink_to(first.path)
    tail = Tail(str(link), clock, from_start_is_history=True)
    first.write(b"one\n")
    assert read_all(tail) == [b"one"]
    first.write(b"two\n")
    second.write(b"three\n")
    link.unlink()
    link.symlink_to(second.path)
    assert read_all(tail) == [b"two"]
    clock.time += 2.0
    assert read_all(tail) == [b"three"]
    for log in (first, second, tail):
        log.close()
