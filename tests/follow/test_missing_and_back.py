"""A file, or its folder, that is deleted and made again."""

import shutil
from pathlib import Path

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail


def test_a_deleted_file_is_followed_while_it_is_written(log: Log, tail: Tail) -> None:
    log.write(b"one\n")
    read_all(tail)
    log.path.unlink()
    log.write(b"two\n")
    assert read_all(tail) == [b"two"]
    assert not tail.up
    assert tail.error == f"{log.path}: No such file or directory"


def test_the_file_that_takes_its_place_is_read_from_its_beginning(log: Log, tail: Tail, clock: FixedClock) -> None:
    log.write(b"one\n")
    read_all(tail)
    log.path.unlink()
    read_all(tail)
    log.write(b"two\n")
    new = Log(log.path)
    new.write(b"three\n")
    assert read_all(tail) == [b"two"]
    assert tail.up
    clock.time += 2.0
    assert read_all(tail) == [b"three"]
    assert tail.counts.lost_bytes == 0
    new.close()


def test_a_file_that_is_moved_away_and_back_goes_on_where_it_was(log: Log, tail: Tail) -> None:
    log.write(b"one\n")
    read_all(tail)
    log.rename("aside")
    read_all(tail)
    log.write(b"two\n")
    log.rename("server.log")
    assert read_all(tail) == [b"two"]
    assert tail.counts.rotations == 0


def test_an_atomic_replacement_is_a_new_file(log: Log, tail: Tail, clock: FixedClock) -> None:
    log.write(b"one\n")
    read_all(tail)
    new = Log(log.path.with_name("tmp"))
    new.write(b"one\ntwo\n")
    new.rename("server.log")
    read_all(tail)
    clock.time += 2.0
    assert read_all(tail) == [b"one", b"two"]
    assert tail.counts.rotations == 1
    new.close()


def test_a_folder_is_deleted_and_made_again(tmp_path: Path, clock: FixedClock, disk: FaultyDisk) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    log = Log(folder / "server.log")
    log.write(b"one\n")
    tail = Tail(str(log.path), clock, from_start_is_history=True, disk=disk)
    assert read_all(tail) == [b"one"]
    shutil.rmtree(folder)
    assert read_all(tail) == []
    assert not tail.up
    folder.write_bytes(b"a file in the place of the folder")
    assert read_all(tail) == []
    assert tail.error == f"{log.path}: Not a directory"
    folder.unlink()
    folder.mkdir()
    new = Log(log.path)
    new.write(b"two\n")
    read_all(tail)
    clock.time += 2.0
    assert read_all(tail) == [b"two"]
    for opened in (log, new, tail):
        opened.close()
