"""A restart, and the log has been renamed meanwhile: the place is found again, and nothing comes twice."""

import shutil
from pathlib import Path

import pytest

from follow.resuming import Restarted, compress
from follow.written import Log, read_all


def test_nothing_has_happened(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    assert read_all(restarted.start()) == []
    log.write(b"two\n")
    assert restarted.stream.read().live


def test_what_was_written_meanwhile_is_history(log: Log, restarted: Restarted) -> None:
    log.write(b"one\ntw")
    restarted.read_and_stop()
    log.write(b"o\n")
    stream = restarted.start()
    chunk = stream.read()
    assert (chunk.lines, chunk.live) == ([b"two"], False)
    log.write(b"three\n")
    assert stream.read() == ([b"three"], True, log.path.stat().st_mtime)


def test_the_rest_comes_from_the_renamed_file(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.write(b"two\n")
    log.rename("server.log.1")
    new = Log(restarted.path)
    new.write(b"three\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"]
    assert not restarted.stream.lost_position
    new.close()


def test_its_writer_is_waited_for(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.rename("server.log.1")
    new = Log(restarted.path)
    new.write(b"three\n")
    stream = restarted.start()
    assert read_all(stream) == []
    log.write(b"two\n")
    assert read_all(stream) == [b"two"]
    assert restarted.read_to_the_end() == [b"three"]
    new.close()


@pytest.mark.parametrize("compressed", [0, 1, 2])
def test_files_that_came_and_went_meanwhile_are_read_whole(log: Log, restarted: Restarted, compressed: int) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.write(b"two\n")
    log.rename("server.log.2")
    Path(f"{restarted.path}.1").write_bytes(b"three\nunfinished")
    restarted.path.write_bytes(b"four\n")
    if compressed:
        compress(Path(f"{restarted.path}.{compressed}"))
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three", b"unfinished", b"four"]


def test_older_files_that_were_never_read_are_not_read_now(log: Log, restarted: Restarted) -> None:
    Path(f"{restarted.path}.1").write_bytes(b"older\n")
    log.write(b"one\n")
    restarted.read_and_stop()
    Path(f"{restarted.path}.1").rename(f"{restarted.path}.2")
    log.write(b"two\n")
    log.rename("server.log.1")
    restarted.path.write_bytes(b"three\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"]


def test_a_name_that_rotation_does_not_give_is_found_by_the_inode(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.write(b"two\n")
    log.rename("server-old.log")
    restarted.path.write_bytes(b"three\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"]


def test_a_copy_that_was_put_in_its_place_is_known_by_its_bytes(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    copy = Path(shutil.copy(log.path, f"{log.path}.new"))
    copy.write_bytes(copy.read_bytes() + b"two\n")
    copy.replace(log.path)
    restarted.start()
    assert restarted.read_to_the_end() == [b"two"]


def test_logs_that_start_alike_for_long_are_told_apart(log: Log, restarted: Restarted) -> None:
    start = b"".join(b"server argument %d\n" % i for i in range(1000))
    log.write(start + b"[10:00:00] Decode batch.\n")
    restarted.read_and_stop()
    log.path.unlink()
    restarted.path.write_bytes(start + b"[11:11:11] Decode batch.\nmore\n")
    restarted.start()
    assert len(restarted.read_to_the_end()) == 1002
    assert restarted.stream.lost_position
