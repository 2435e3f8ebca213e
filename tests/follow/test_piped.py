"""A pipe as a stream: what is history, what is live, and its end."""

import os
from collections.abc import Iterator
from contextlib import suppress

import pytest

from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.piped import PipedStream
from sglang_exporter.follow.wake import FolderWaker


class Pipe:
    """Both ends of a pipe, and what is read from it."""

    def __init__(self) -> None:
        self.clock = FixedClock(1000.0)
        self.out, self._in = os.pipe()
        self.waker = FolderWaker()
        self.stream = PipedStream(self.clock, self.waker, descriptor=self.out, max_line=100)

    def write(self, text: bytes) -> None:
        os.write(self._in, text)

    def read(self) -> tuple[list[bytes], bool]:
        lines, live, _ = self.stream.read()
        return lines, live

    def caught_up(self) -> bool:
        return self.stream.caught_up

    def end(self) -> None:
        with suppress(OSError):
            os.close(self._in)


@pytest.fixture(name="pipe")
def _pipe() -> Iterator[Pipe]:
    pipe = Pipe()
    yield pipe
    pipe.end()
    os.close(pipe.out)


def test_what_comes_before_the_pipe_is_first_empty_is_history(pipe: Pipe) -> None:
    pipe.write(b"a\nb\n")
    assert pipe.read() == ([b"a", b"b"], False)
    assert not pipe.caught_up()
    pipe.write(b"c\n")
    assert pipe.read() == ([b"c"], False)
    assert pipe.read() == ([], False)
    assert pipe.caught_up()
    pipe.write(b"d\n")
    assert pipe.read() == ([b"d"], True)


def test_a_writer_has_two_seconds_to_begin(pipe: Pipe) -> None:
    pipe.read()
    assert not pipe.caught_up()
    pipe.clock.time += 2
    pipe.read()
    assert pipe.caught_up()


def test_an_unfinished_line_waits_and_a_long_one_is_counted(pipe: Pipe) -> None:
    pipe.write(b"begin")
    assert pipe.read() == ([], False)
    pipe.write(b"ning\n" + b"x" * 101 + b"\nend\n")
    assert pipe.read() == ([b"beginning", b"end"], False)
    assert (pipe.stream.counts.long_lines, pipe.stream.counts.bytes) == (1, 5 + 5 + 102 + 4)


def test_its_end_completes_the_last_line_and_takes_it_down(pipe: Pipe) -> None:
    pipe.write(b"a\nlast")
    assert pipe.stream.behind == 6
    assert pipe.read() == ([b"a"], False)
    assert pipe.stream.up
    pipe.end()
    assert pipe.read() == ([b"last"], False)
    assert (pipe.stream.up, pipe.stream.behind, pipe.caught_up()) == (False, 0, True)
    assert pipe.stream.error == "standard input: has ended"
    assert pipe.read() == ([], True)


def test_a_wait_ends_when_something_is_written(pipe: Pipe) -> None:
    assert pipe.read() == ([], False)
    pipe.write(b"a\n")
    pipe.waker.wait(60)  # the test's own time limit is shorter
    assert pipe.read() == ([b"a"], False)


def test_what_cannot_be_read_has_ended(pipe: Pipe) -> None:
    folder = os.open("/", os.O_RDONLY)
    stream = PipedStream(pipe.clock, pipe.waker, descriptor=folder)
    assert stream.read().lines == []
    assert (stream.up, stream.error) == (False, "standard input: Is a directory")
    os.close(folder)
