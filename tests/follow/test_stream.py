"""A stream: the rotated files, then the file that is written now."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.stream import Stream


@pytest.fixture
def rotated(path: Path) -> list[str]:
    """Return the rotated files of the log, oldest first."""
    second, first = Path(f"{path}.2.gz"), Path(f"{path}.1")
    second.write_bytes(gzip.compress(b"one\ntwo\n"))
    first.write_bytes(b"three\n")
    return [str(second), str(first)]


@pytest.fixture
def stream(path: Path, rotated: list[str], clock: FixedClock, disk: FaultyDisk) -> Iterator[Stream]:
    stream = Stream(Found(str(path), {}, rotated), clock, from_start_is_history=True, disk=disk)
    yield stream
    stream.close()


def test_rotated_files_come_first_and_are_history(log: Log, stream: Stream) -> None:
    log.write(b"four\n")
    chunks = [stream.read()]
    while stream.behind:
        assert not stream.caught_up
        chunks.append(stream.read())
    assert [line for chunk in chunks for line in chunk.lines] == [b"one", b"two", b"three", b"four"]
    assert not any(chunk.live for chunk in chunks if chunk.lines)
    assert stream.caught_up
    log.write(b"five\n")
    assert stream.read().live
    assert stream.counts.bytes == len(b"one\ntwo\nthree\nfour\nfive\n")


def test_what_is_written_while_rotated_files_are_read_is_live(log: Log, stream: Stream) -> None:
    log.write(b"four\n")
    lines = stream.read().lines
    log.write(b"five\n")
    chunks = [stream.read() for _ in range(6)]
    assert lines + [line for c in chunks for line in c.lines] == [b"one", b"two", b"three", b"four", b"five"]
    assert [line for c in chunks if c.live for line in c.lines] == [b"five"]


def test_a_rotation_while_rotated_files_are_read_loses_nothing(
    log: Log, stream: Stream, path: Path, clock: FixedClock
) -> None:
    log.write(b"four\n")
    lines = stream.read(budget=4).lines
    Path(f"{path}.1").rename(f"{path}.3")
    log.rename("server.log.2")
    between = Log(path)
    between.write(b"five\n")
    lines += stream.read(budget=4).lines
    between.rename("server.log.1")
    new = Log(path)
    new.write(b"six\n")
    for _ in range(3):
        lines += read_all(stream, budget=4)
        clock.time += 2.0
    assert lines == [b"one", b"two", b"three", b"four", b"five", b"six"]
    between.close()
    new.close()


def test_the_file_at_the_path_is_not_read_as_a_rotated_one_too(log: Log, path: Path, clock: FixedClock) -> None:
    log.write(b"one\n")
    Path(f"{path}.1").hardlink_to(path)
    stream = Stream(Found(str(path), {}, [f"{path}.1"]), clock, from_start_is_history=True)
    assert read_all(stream) == [b"one"]
    stream.close()


def test_a_stream_found_later_is_live_as_a_whole(log: Log, path: Path, rotated: list[str], clock: FixedClock) -> None:
    log.write(b"four\n")
    stream = Stream(Found(str(path), {}, rotated), clock, from_start_is_history=False)
    assert stream.read().live
    assert read_all(stream) == [b"three", b"four"]
    stream.close()


def test_a_damaged_rotated_file_is_said_and_the_stream_is_up(log: Log, stream: Stream, rotated: list[str]) -> None:
    Path(rotated[0]).write_bytes(b"damaged")
    log.write(b"four\n")
    assert read_all(stream) == [b"three", b"four"]
    assert stream.error == f"{rotated[0]}: Not a gzipped file (b'da')"
    assert stream.up


def test_rotated_files_are_read_while_the_file_itself_is_missing(path: Path, stream: Stream) -> None:
    assert read_all(stream) == [b"one", b"two", b"three"]
    assert stream.caught_up
    assert not stream.up
    assert stream.error == f"{path}: No such file or directory"


def test_a_compressed_file_is_read_once(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "server.log.gz"
    path.write_bytes(gzip.compress(b"one\ntwo"))
    stream = Stream(Found(str(path), {}, []), clock, from_start_is_history=True)
    assert not stream.caught_up
    assert read_all(stream) == [b"one", b"two"]
    assert (stream.up, stream.error, stream.caught_up) == (True, None, True)
    assert stream.finish() == []
    stream.close()


def test_a_compressed_file_that_is_missing_is_said(tmp_path: Path, clock: FixedClock) -> None:
    stream = Stream(Found(f"{tmp_path}/server.log.gz", {}, []), clock, from_start_is_history=True)
    assert read_all(stream) == []
    assert (stream.up, stream.error) == (False, f"{tmp_path}/server.log.gz: No such file or directory")


def test_finish_gives_the_last_line(log: Log, stream: Stream) -> None:
    log.write(b"four")
    assert read_all(stream) == [b"one", b"two", b"three"]
    assert stream.finish() == [b"four"]


def test_a_stream_that_moves_reads_the_old_file_to_its_end_first(
    log: Log, stream: Stream, tmp_path: Path, clock: FixedClock
) -> None:
    read_all(stream)
    log.write(b"four\n")
    new = Log(tmp_path / "1.log")
    new.write(b"five\n")
    stream.move(str(new.path))
    assert stream.path == str(new.path)
    assert read_all(stream) == [b"four"]
    clock.time += 2.0
    assert read_all(stream) == [b"five"]
    new.close()


def test_a_stream_may_be_closed_at_any_time(log: Log, stream: Stream, disk: FaultyDisk) -> None:
    log.write(b"four\n")
    stream.read(budget=4)
    assert disk.opened
    stream.close()
    assert not disk.opened
