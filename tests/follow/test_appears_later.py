"""A file that is not there at start."""

from pathlib import Path

from follow.written import Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail


def test_a_missing_file_is_said_to_be_missing_and_has_no_history(tail: Tail, path: Path) -> None:
    assert tail.read() == ([], True, 0.0)
    assert not tail.up
    assert tail.error == f"{path}: No such file or directory"
    assert tail.caught_up
    assert tail.behind == 0


def test_what_a_file_holds_when_it_appears_is_live(tail: Tail, path: Path) -> None:
    tail.read()
    log = Log(path)
    log.write(b"one\n")
    chunk = tail.read()
    assert (chunk.lines, chunk.live) == ([b"one"], True)
    assert tail.up
    assert tail.error is None
    assert tail.counts.rotations == 0
    log.close()


def test_so_does_a_file_whose_folder_is_missing(tmp_path: Path, clock: FixedClock) -> None:
    folder = tmp_path / "run"
    tail = Tail(str(folder / "server.log"), clock, from_start_is_history=True)
    tail.read()
    assert not tail.up
    folder.mkdir()
    log = Log(folder / "server.log")
    log.write(b"one\n")
    assert read_all(tail) == [b"one"]
    log.close()
    tail.close()


def test_before_the_first_look_nothing_is_caught_up(tail: Tail) -> None:
    assert not tail.caught_up
    assert not tail.up
    assert tail.error is None
