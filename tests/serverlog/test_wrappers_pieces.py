"""Lines that a container runtime cut into pieces."""

import tracemalloc
from collections.abc import Callable, Iterator
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglang_exporter.serverlog.wrappers import Unwrapped, Unwrapper
from support.wrapping import cri_pieces, crlf, docker_pieces, labelled, ray

Pieces = Callable[[bytes, Iterator[int], str], list[bytes]]

RUNTIMES: dict[str, Pieces] = {"docker": docker_pieces, "cri": cri_pieces}
LONG = b"[2025-06-06 08:08:17] server_args=ServerArgs(" + b"a_long_argument=None, " * 4000 + b"port=30000)"

runtimes = pytest.mark.parametrize("pieces", RUNTIMES.values(), ids=RUNTIMES)


def unwrap(lines: list[bytes]) -> list[bytes]:
    unwrapper = Unwrapper({})
    return [text for line in lines for text, _, _ in unwrapper.feed(line)]


@runtimes
def test_a_long_line_is_joined(pieces: Pieces) -> None:
    cut = pieces(LONG, cycle([16 << 10]), "stderr")
    assert len(cut) > 5
    assert unwrap(cut) == [LONG]


@runtimes
@settings(deadline=None)
@given(data=st.data(), sizes=st.lists(st.integers(1, 40), min_size=1))
def test_standard_output_and_standard_error_are_kept_apart(
    pieces: Pieces, data: st.DataObject, sizes: list[int]
) -> None:
    out = [b"out %d " % number + b"o" * number * 9 for number in range(5)]
    err = [b"[2025-06-06 08:08:1%d] " % number + b"e" * number * 7 for number in range(5)]
    queues = {
        stream: [(piece, line) for line in lines for piece in pieces(line, cycle(sizes), stream)]
        for stream, lines in (("stdout", out), ("stderr", err))
    }
    log, ends = [], []
    while any(queues.values()):
        queue = queues[data.draw(st.sampled_from([stream for stream in queues if queues[stream]]))]
        piece, line = queue.pop(0)
        log.append(piece)
        if not queue or queue[0][1] != line:
            ends.append(line)
    assert unwrap(log) == ends


@runtimes
def test_containers_in_one_log_are_kept_apart(pieces: Pieces) -> None:
    first, second = (pieces(line, cycle([9]), "stderr") for line in (b"1" * 50, b"2" * 50))
    labels = labelled(b"sglang-1  | "), labelled(b"sglang-2  | ")
    pairs = zip(labels[0](first), labels[1](second), strict=True)
    assert unwrap([piece for pair in pairs for piece in pair]) == [b"1" * 50, b"2" * 50]


@runtimes
def test_pieces_of_crlf_lines_are_joined_without_carriage_returns(pieces: Pieces) -> None:
    assert unwrap(crlf(pieces(LONG, cycle([1000]), "stderr"))) == [LONG]


def test_a_progress_bar_may_be_cut_behind_its_carriage_return() -> None:
    line = b"bar 1\rbar 2\r[2025-06-06 08:08:17] ready"
    for size in range(1, len(line)):
        log = [b"2025-07-30T12:00:00Z stdout F x", *cri_pieces(line, cycle([size]))]
        assert unwrap(log)[1:] == [b"bar 1", b"bar 2", b"[2025-06-06 08:08:17] ready"]


def test_a_piece_behind_a_time_is_no_line_of_syslog() -> None:
    line = b"[15:57:35] The server is fired up and ready to roll!"
    pieces = docker_pieces(b" 7: " + line, cycle([20]))
    assert unwrap(labelled(b"2025-07-30T12:00:00.123456789Z ")(pieces)) == [line]


def test_what_is_not_complete_comes_with_flush() -> None:
    unwrapper = Unwrapper({})
    (line,) = ray([b"[2025-06-06 08:08:17] Load weight begin."], ip=b"10.0.0.1")
    for piece in docker_pieces(line, iter([30, len(line) - 34, 9]))[:-1]:
        assert not unwrapper.feed(piece)
    assert unwrapper.flush() == [Unwrapped(b"[2025-06-06 08:08:17] Load weight be", "41820@10.0.0.1")]
    assert not unwrapper.flush()


@runtimes
def test_a_line_over_the_limit_is_dropped_and_counted(pieces: Pieces) -> None:
    dropped: dict[str, int] = {}
    unwrapper = Unwrapper(dropped, max_held=1000)
    texts = []
    for line in (b"a" * 1000, b"b" * 1100, b"c" * 5000, b"d" * 990):
        texts += [text for piece in pieces(line, cycle([100]), "stderr") for text, _, _ in unwrapper.feed(piece)]
    assert [text[:1] for text in texts] == [b"a", b"d"]
    assert dropped == {"long_line": 2}


def test_the_longest_line_goes_first() -> None:
    dropped: dict[str, int] = {}
    unwrapper = Unwrapper(dropped, max_held=1000)
    *_, last = short = cri_pieces(b"s" * 300, cycle([100]), "stdout")
    for piece in (*cri_pieces(b"l" * 900, cycle([300]))[:-1], *short[:-1], *cri_pieces(b"l" * 800, cycle([700]))[:-1]):
        assert not unwrapper.feed(piece)
    assert unwrapper.feed(last) == [Unwrapped(b"s" * 300)]
    assert dropped == {"long_line": 1}


def test_memory_is_bounded() -> None:
    unwrapper = Unwrapper({}, max_held=100_000)
    tracemalloc.start()
    for number in range(20_000):
        unwrapper.feed(b"sglang-%d  | 2025-07-30T12:00:00Z stderr P %s" % (number, b"x" * 1000))
    for _ in range(20_000):
        unwrapper.feed(b"2025-07-30T12:00:00Z stderr P xy")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 500_000


def test_the_oldest_of_many_unfinished_lines_is_dropped() -> None:
    dropped: dict[str, int] = {}
    unwrapper = Unwrapper(dropped)
    for number in range(100):
        unwrapper.feed(b"sglang-%d  | 2025-07-30T12:00:00Z stderr P %d" % (number, number))
    assert [int(text) for text, _, _ in unwrapper.flush()] == list(range(36, 100))
    assert dropped == {"long_line": 36}
