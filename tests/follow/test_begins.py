"""What begins with the lines of a read: the file after a rotated one, or a content in the place of one that is gone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.written import Log
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.stream import Stream


class Beginnings:
    """A stream, and what it said of the lines that it returned."""

    def __init__(self, path: Path, clock: FixedClock) -> None:
        self.clock = clock
        found = Found(str(path), {}, [])
        self.stream = Stream(found, clock, from_start_is_history=True, rereads=True)

    def read(self) -> list[tuple[str | None, list[bytes]]]:
        """Return what began and which lines came, for half a minute."""
        told: list[tuple[str | None, list[bytes]]] = []
        for _ in range(6):
            chunk = self.stream.read()
            if chunk.lines or self.stream.begins:
                told.append((self.stream.begins, chunk.lines))
            self.clock.time += 5.0
        return told


@pytest.fixture
def beginnings(path: Path, clock: FixedClock) -> Iterator[Beginnings]:
    beginnings = Beginnings(path, clock)
    yield beginnings
    beginnings.stream.close()


def test_what_goes_on_begins_nothing(log: Log, beginnings: Beginnings) -> None:
    log.write(b"one\n")
    assert beginnings.read() == [(None, [b"one"])]
    log.write(b"two\n")
    assert beginnings.read() == [(None, [b"two"])]


def test_after_a_rotation_the_next_file_begins(log: Log, path: Path, beginnings: Beginnings) -> None:
    log.write(b"one\n")
    beginnings.read()
    log.rename("server.log.1")
    log.write(b"late\n")
    path.write_bytes(b"two\n")
    assert beginnings.read() == [(None, [b"late"]), ("next", [b"two"])]


def test_a_copy_that_was_cut_begins_the_next_file(log: Log, path: Path, beginnings: Beginnings) -> None:
    log.write(b"one\n")
    beginnings.read()
    log.write(b"late\n")
    path.with_name("server.log.1").write_bytes(path.read_bytes())
    log.truncate()
    log.write(b"2\n")
    assert beginnings.read() == [(None, [b"late"]), ("next", [b"2"])]


@pytest.mark.parametrize("how", ["written anew", "replaced", "deleted", "moved away"])
def test_a_content_in_the_place_of_another(log: Log, path: Path, beginnings: Beginnings, how: str) -> None:
    log.write(b"one\ntwo\n")
    beginnings.read()
    if how == "written anew":
        path.write_bytes(b"three\n")
    elif how == "deleted":
        path.unlink()
        beginnings.read()
        path.write_bytes(b"three\n")
    else:
        if how == "moved away":
            log.rename("backup")
        new = path.with_name("new")
        new.write_bytes(b"three\n")
        new.replace(path)
    assert beginnings.read() == [("anew", [b"three"])]


def test_a_content_that_was_read_before_is_read_again(log: Log, path: Path, beginnings: Beginnings) -> None:
    log.write(b"one\n")
    beginnings.read()
    first = path.with_name("first")
    first.hardlink_to(path)
    for content in (b"two\n", b"three\n"):
        new = path.with_name("new")
        new.write_bytes(content)
        new.replace(path)
        assert beginnings.read() == [("anew", content.splitlines())]
    first.replace(path)
    assert beginnings.read() == [("anew", [b"one"])]


def test_an_unfinished_line_is_shown_and_stays(log: Log, beginnings: Beginnings) -> None:
    log.write(b"one\ntw")
    beginnings.read()
    assert beginnings.stream.unfinished_bytes == 2
    assert beginnings.stream.unfinished().lines == [b"tw"]
    assert not beginnings.stream.unfinished().live
    log.write(b"o\nthr")
    assert beginnings.read() == [(None, [b"two"])]
    assert beginnings.stream.unfinished().live
    assert beginnings.stream.finish() == [b"thr"]
    assert beginnings.stream.unfinished_bytes == 0
    assert beginnings.stream.unfinished().lines == []
    log.write(b"\nfour\n")
    assert beginnings.read() == [(None, [b"", b"four"])]


def test_an_unfinished_line_that_is_too_long_is_not_shown(path: Path, clock: FixedClock) -> None:
    path.write_bytes(b"x" * 100)
    stream = Stream(Found(str(path), {}, []), clock, from_start_is_history=True, max_line=10)
    stream.read()
    assert stream.unfinished().lines == [b""]
    stream.close()
