"""A file that grows."""

import os
from pathlib import Path

from follow.written import Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.tail import Tail


def test_each_line_comes_once_and_without_its_line_feed(log: Log, tail: Tail) -> None:
    log.write(b"one\ntwo\n")
    assert tail.read().lines == [b"one", b"two"]
    assert tail.read().lines == []
    log.write(b"three\n")
    assert tail.read().lines == [b"three"]
    assert tail.read().lines == []
    assert tail.counts.bytes == len(b"one\ntwo\nthree\n")


def test_carriage_returns_blank_lines_and_bytes_that_are_no_text_come_as_they_are(log: Log, tail: Tail) -> None:
    log.write(b"50%\r100%\r\n\n\xff\x00\n")
    assert tail.read().lines == [b"50%\r100%\r", b"", b"\xff\x00"]


def test_a_budget_bounds_what_comes_at_once(log: Log, tail: Tail) -> None:
    log.write(b"".join(b"%09d\n" % i for i in range(100)))
    assert len(tail.read(budget=255).lines) == 25
    assert tail.behind == 1000 - 255
    assert len(read_all(tail, budget=255)) == 75
    assert tail.behind == 0


def test_what_is_there_at_start_is_history_and_what_comes_later_is_live(log: Log, tail: Tail) -> None:
    log.write(b"old 1\nold 2\n")
    assert not tail.caught_up
    first = tail.read(budget=7)
    assert (first.lines, first.live, tail.caught_up) == ([b"old 1"], False, False)
    log.write(b"new\n")
    second = tail.read()
    assert (second.lines, second.live, tail.caught_up) == ([b"old 2"], False, True)
    third = tail.read()
    assert (third.lines, third.live) == ([b"new"], True)


def test_a_line_that_is_begun_in_history_and_ended_later_is_live(log: Log, tail: Tail) -> None:
    log.write(b"old\nbeg")
    assert tail.read() == ([b"old"], False, log.path.stat().st_mtime)
    assert tail.caught_up
    log.write(b"un\n")
    assert tail.read() == ([b"begun"], True, log.path.stat().st_mtime)


def test_all_is_live_in_a_file_that_was_not_there_at_start(log: Log, path: Path, clock: FixedClock) -> None:
    log.write(b"new\n")
    tail = Tail(str(path), clock, from_start_is_history=False)
    assert tail.read().live
    assert tail.caught_up
    tail.close()


def test_a_chunk_tells_when_the_file_was_changed(log: Log, tail: Tail) -> None:
    log.write(b"old\n")
    os.utime(log.path, (123.0, 123.5))
    assert tail.read().mtime == 123.5


def test_the_file_is_opened_for_reading_alone(log: Log, tail: Tail) -> None:
    log.write(b"old\n")
    tail.read()
    flags = [
        int(line.split()[1], 8)
        for fd in Path("/proc/self/fd").iterdir()
        if fd.exists() and fd.readlink() == log.path
        for line in Path("/proc/self/fdinfo", fd.name).read_text().splitlines()
        if line.startswith("flags:")
    ]
    assert sorted(flag & os.O_ACCMODE for flag in flags) == [os.O_RDONLY, os.O_WRONLY]  # ours, and the writer's
