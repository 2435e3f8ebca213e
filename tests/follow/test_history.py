"""Rotated older files, compressed or not: each read once, whole, oldest first."""

import gzip
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.written import FaultyDisk, read_all
from sglang_exporter.follow.disk import identity_of
from sglang_exporter.follow.history import History
from sglang_exporter.follow.tail import Counts

LIMIT = 10_000
LINES = [b"line %d of a log" % i for i in range(1000)]
CONTENT = b"\n".join(LINES)


@pytest.fixture
def counts() -> Counts:
    return Counts()


@pytest.fixture
def disk() -> Iterator[FaultyDisk]:
    disk = FaultyDisk()
    yield disk
    assert not disk.opened


def history(paths: list[Path], counts: Counts, disk: FaultyDisk) -> History:
    older = History(counts, deque(), max_line=LIMIT, disk=disk)
    older.add_paths(map(str, paths))
    return older


@pytest.mark.parametrize("budget", [1, 100, 1 << 20])
def test_files_come_in_order_and_whole(tmp_path: Path, counts: Counts, disk: FaultyDisk, budget: int) -> None:
    (tmp_path / "a.2").write_bytes(b"one\n\ntwo")
    (tmp_path / "a.1").write_bytes(b"")
    (tmp_path / "a").write_bytes(b"three\n")
    older = history([tmp_path / "a.2", tmp_path / "a.1", tmp_path / "a"], counts, disk)
    assert read_all(older, budget) == [b"one", b"", b"two", b"three"]
    assert older.done
    assert counts == Counts(bytes=len(b"one\n\ntwothree\n"))


@pytest.mark.parametrize("budget", [100, 1 << 20])
def test_compressed_files_of_several_members(tmp_path: Path, counts: Counts, disk: FaultyDisk, budget: int) -> None:
    path = tmp_path / "server.log.2.gz"
    path.write_bytes(gzip.compress(CONTENT[:5000]) + gzip.compress(CONTENT[5000:]))
    assert read_all(history([path], counts, disk), budget) == LINES
    assert counts.bytes == len(CONTENT)


def test_a_chunk_is_history_and_tells_when_its_file_was_changed(
    tmp_path: Path, counts: Counts, disk: FaultyDisk
) -> None:
    path = tmp_path / "a.1"
    path.write_bytes(b"one\n")
    older = history([path], counts, disk)
    assert older.read() == ([b"one"], False, path.stat().st_mtime)
    older.close()


def test_a_budget_bounds_what_a_compressed_file_gives_at_once(tmp_path: Path, counts: Counts, disk: FaultyDisk) -> None:
    path = tmp_path / "a.gz"
    path.write_bytes(gzip.compress(b"x\n" * 1_000_000))
    older = history([path], counts, disk)
    assert len(older.read(budget=1000).lines) == 500
    assert older.behind > 0
    older.close()
    assert older.done


@pytest.mark.parametrize(
    ("damaged", "phrase"),
    [
        (gzip.compress(CONTENT)[:-2000], "Compressed file ended before the end-of-stream marker was reached"),
        (gzip.compress(CONTENT)[:-8] + b"otherCRC", "CRC check failed"),
        (gzip.compress(CONTENT)[:10] + b"\xff" * 100, "Error -3 while decompressing data: "),
        (b"this was never compressed\n", "Not a gzipped file (b'th')"),
    ],
    ids=["cut", "crc", "overwritten", "other"],
)
def test_a_damaged_file_is_left_where_it_is_damaged_and_said(
    tmp_path: Path, counts: Counts, disk: FaultyDisk, damaged: bytes, phrase: str
) -> None:
    path, sound = tmp_path / "a.2.gz", tmp_path / "a.1"
    path.write_bytes(damaged)
    sound.write_bytes(b"sound\n")
    older = history([path, sound], counts, disk)
    *lines, last = read_all(older, budget=100)
    assert last == b"sound"
    assert lines == LINES[: len(lines)]
    assert older.error is not None
    assert older.error.startswith(f"{path}: {phrase}")


def test_a_missing_file_is_said_and_the_others_are_read(tmp_path: Path, counts: Counts, disk: FaultyDisk) -> None:
    (tmp_path / "a.1").write_bytes(b"one\n")
    older = history([tmp_path / "a.2", tmp_path / "a.1"], counts, disk)
    assert older.error == f"{tmp_path}/a.2: No such file or directory"
    assert read_all(older) == [b"one"]


def test_a_file_that_vanishes_before_its_turn_is_said(tmp_path: Path, counts: Counts, disk: FaultyDisk) -> None:
    (tmp_path / "a.1").write_bytes(b"one\n")
    older = history([tmp_path / "a.1"], counts, disk)
    (tmp_path / "a.1").unlink()
    assert read_all(older) == []
    assert older.done
    assert older.error == f"{tmp_path}/a.1: Gone before it was read"


def test_files_that_a_rotation_moves_on_meanwhile_are_read_once_each(
    tmp_path: Path, counts: Counts, disk: FaultyDisk
) -> None:
    names = ["a.3", "a.2", "a.1"]
    for name in names:
        (tmp_path / name).write_bytes(b"was " + name.encode() + b"\n")
    older = history([tmp_path / name for name in names], counts, disk)
    lines = older.read().lines
    for name, new in zip(names, ["a.4", "a.3", "a.2"], strict=True):
        (tmp_path / name).rename(tmp_path / new)
    (tmp_path / "a.1").write_bytes(b"was a\n")
    assert lines + read_all(older) == [b"was a.3", b"was a.2", b"was a.1"]


def test_a_file_that_is_held_already_or_has_two_names_is_not_read_twice(
    tmp_path: Path, counts: Counts, disk: FaultyDisk
) -> None:
    for name in ("a.2", "a.1"):
        (tmp_path / name).write_bytes(name.encode() + b"\n")
    (tmp_path / "link").symlink_to("a.2")
    held = {identity_of((tmp_path / "a.1").stat())}
    older = history([], counts, disk)
    older.add_paths([str(tmp_path / name) for name in ("a.2", "link", "a.1")], held)
    assert read_all(older) == [b"a.2"]


@pytest.mark.parametrize("budget", [1, 99, LIMIT, LIMIT + 1, LIMIT + 2, 1 << 20])
def test_a_long_line_is_skipped_and_counted(tmp_path: Path, counts: Counts, disk: FaultyDisk, budget: int) -> None:
    path = tmp_path / "a.1"
    exact = b"y" * LIMIT
    path.write_bytes(b"before\n" + b"x" * (LIMIT + 1) + b"\n" + exact + b"\nafter\n" + b"z" * (LIMIT + 1))
    assert read_all(history([path], counts, disk), budget) == [b"before", exact, b"after"]
    assert counts.long_lines == 2
