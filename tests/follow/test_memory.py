"""What was read before a restart is read again: of the files that were read, up to where they were read."""

import gzip
import os
from pathlib import Path

import pytest

from follow.written import Log
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.discover import discover
from sglang_exporter.follow.memory import lines_before
from sglang_exporter.follow.position import Position
from sglang_exporter.follow.stream import Stream


def read(glob: str, clock: FixedClock, resume: Position | None = None) -> Position | None:
    (found,) = discover([glob])
    stream = Stream(found, clock, from_start_is_history=True, resume=resume)
    for _ in range(8):
        stream.read()
        clock.time += 5.0
    position = stream.position
    stream.close()
    return position


def recalled(glob: str, position: Position | None) -> list[tuple[bytes, bool]]:
    (found,) = discover([glob])
    return [(line, piece.older) for piece in lines_before(found.path, found.older, position) for line in piece.lines]


def old(*lines: bytes) -> list[tuple[bytes, bool]]:
    return [(line, True) for line in lines]


def now(*lines: bytes) -> list[tuple[bytes, bool]]:
    return [(line, False) for line in lines]


def test_nothing_before_a_first_start(log: Log, path: Path) -> None:
    log.write(b"one\n")
    assert recalled(str(path), None) == []


def test_up_to_where_it_was_read(log: Log, path: Path, clock: FixedClock) -> None:
    log.write(b"one\ntwo\nthr")
    position = read(str(path), clock)
    log.write(b"ee\nfour\n")
    assert recalled(str(path), position) == now(b"one", b"two")


def test_a_last_line_that_was_taken_unfinished(path: Path, clock: FixedClock) -> None:
    path.write_bytes(b"one\ntwo")
    (found,) = discover([str(path)])
    stream = Stream(found, clock, from_start_is_history=True)
    stream.read()
    stream.finish()
    assert recalled(str(path), stream.position) == now(b"one", b"two")
    stream.close()


@pytest.mark.parametrize("glob", ["server.log", "server.log*"])
def test_rotated_files_that_were_read(log: Log, path: Path, clock: FixedClock, glob: str) -> None:
    pattern = f"{path.parent}/{glob}"
    path.with_name("server.log.2").write_bytes(b"zero\n")
    log.write(b"one\n")
    position = read(pattern, clock)
    log.write(b"late\n")
    log.rename("server.log.1")
    path.write_bytes(b"two\n")
    position = read(pattern, clock, position)
    path.write_bytes(b"two\nthree\n")
    zero = old(b"zero") if "*" in glob else []
    assert recalled(pattern, position) == zero + old(b"one", b"late") + now(b"two")


@pytest.mark.parametrize("packed", [False, True])
def test_the_file_has_been_rotated_since(log: Log, path: Path, clock: FixedClock, packed: bool) -> None:  # noqa: FBT001
    log.write(b"one\ntwo\n")
    position = read(str(path), clock)
    log.write(b"three\n")
    log.rename("server.log.1")
    if packed:
        gz = path.with_name("server.log.1.gz")
        gz.write_bytes(gzip.compress(log.path.read_bytes()))
        os.utime(gz, (log.path.stat().st_mtime,) * 2)
        log.path.unlink()
    path.write_bytes(b"four\n")
    assert recalled(str(path), position) == now(b"one", b"two")


def test_a_file_that_is_gone_or_another_by_now_gives_nothing(log: Log, path: Path, clock: FixedClock) -> None:
    log.write(b"one\ntwo\n")
    position = read(str(path), clock)
    path.write_bytes(b"other content\n")
    assert recalled(str(path), position) == []
    path.unlink()
    assert recalled(str(path), position) == []


def test_a_damaged_archive_gives_what_can_be_read(path: Path, clock: FixedClock) -> None:
    rotated = path.with_name("server.log.1.gz")
    content = b"".join(b"%d\n" % number for number in range(50_000))
    rotated.write_bytes(gzip.compress(content))
    path.write_bytes(b"new\n")
    position = read(f"{path}*", clock)
    assert position is not None
    assert [mark.path for mark in position.open] == [str(path)]
    status = rotated.stat()
    with rotated.open("r+b") as file:
        file.truncate(status.st_size - 100)
    lines = recalled(f"{path}*", position)
    assert lines[-1] == (b"new", False)
    assert all(older for _, older in lines[:-1])
