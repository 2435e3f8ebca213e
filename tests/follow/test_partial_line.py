"""A line that is written in pieces, and one that never ends."""

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.follow.tail import Tail


def test_a_partial_line_waits_for_its_end(log: Log, tail: Tail) -> None:
    for piece in (b"Decode ", b"batch", b"."):
        log.write(piece)
        assert read_all(tail) == []
    log.write(b"\nnext")
    assert read_all(tail) == [b"Decode batch."]


def test_a_partial_line_that_was_looked_at_is_not_behind(log: Log, tail: Tail) -> None:
    log.write(b"one\npart")
    tail.read()
    assert tail.behind == 0


def test_a_line_longer_than_the_budget_comes_whole(log: Log, tail: Tail) -> None:
    long = bytes(range(65, 91)) * 100
    log.write(b"short\n" + long + b"\nlast\n")
    assert read_all(tail, budget=100) == [b"short", long, b"last"]


def test_a_partial_line_is_not_kept_in_memory(log: Log, tail: Tail, disk: FaultyDisk) -> None:
    log.write(b"x" * 100_000)
    read_all(tail, budget=1000)
    disk.sizes.clear()
    log.write(b"y")
    read_all(tail)
    assert max(disk.sizes) < 2000  # neither is it read again before it is complete
    log.write(b"\n")
    assert read_all(tail) == [b"x" * 100_000 + b"y"]


def test_finish_gives_the_last_line_of_a_file_that_does_not_end_in_a_line_feed(log: Log, tail: Tail) -> None:
    log.write(b"one\nlast")
    assert tail.read().lines == [b"one"]
    assert tail.finish() == [b"last"]
    assert tail.finish() == []
    assert tail.counts.bytes == len(b"one\nlast")


def test_what_follows_a_finished_line_is_a_line_of_its_own(log: Log, tail: Tail) -> None:
    log.write(b"one")
    tail.read()
    assert tail.finish() == [b"one"]
    log.write(b"\ntwo\n")
    assert tail.read().lines == [b"", b"two"]


def test_finish_gives_nothing_where_there_is_no_file_and_no_partial_line(log: Log, tail: Tail) -> None:
    assert tail.finish() == []
    log.write(b"one\n")
    tail.read()
    assert tail.finish() == []
