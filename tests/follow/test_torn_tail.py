"""A writer that has crashed within a line, and cuts or overwrites it when it is back."""

from follow.written import Log, read_all
from sglang_exporter.follow.tail import Tail


def test_a_torn_line_that_is_cut_off_is_no_truncation(log: Log, tail: Tail) -> None:
    log.write(b"one\ntwo\ntorn")
    read_all(tail)
    log.truncate(len(b"one\ntwo\n"))
    log.write(b"three\n")
    assert read_all(tail) == [b"three"]
    assert tail.counts.truncations == 0


def test_a_torn_line_that_is_cut_off_and_overwritten_by_more_is_read_as_it_is_now(log: Log, tail: Tail) -> None:
    log.write(b"one\ntorn")
    read_all(tail)
    log.truncate(len(b"one\n"))
    log.write(b"a\nb\nthe next one")
    assert read_all(tail) == [b"a", b"b"]
    assert tail.counts.truncations == 0


def test_a_file_of_one_torn_line_is_written_anew(log: Log, tail: Tail) -> None:
    log.write(b"torn")
    read_all(tail)
    log.truncate()
    log.write(b"x\nyz")
    assert read_all(tail) == [b"x"]
    assert tail.finish() == [b"yz"]


def test_what_a_torn_line_was_is_forgotten(log: Log, tail: Tail) -> None:
    log.write(b"torn")
    read_all(tail)
    log.truncate()
    log.write(b"one\n" + b"x" * 3000 + b"\n")
    assert read_all(tail) == [b"one", b"x" * 3000]
    log.write(b"two\n")
    assert read_all(tail) == [b"two"]
    assert tail.counts.truncations == 1


def test_a_torn_line_and_the_lines_in_its_place_may_be_alike_at_their_ends(log: Log, tail: Tail) -> None:
    log.write(b"torn" + b"x" * 2000)
    read_all(tail)
    log.truncate()
    log.write(b"x\nyz" + b"x" * 2000 + b"\n")
    assert read_all(tail) == [b"x", b"yz" + b"x" * 2000]


def test_history_that_is_cut_off_is_caught_up(log: Log, tail: Tail) -> None:
    log.write(b"one\ntorn and long")
    tail.read(budget=5)
    log.truncate(len(b"one\nto"))
    read_all(tail)
    assert tail.caught_up
    log.write(b"ld\n")
    assert tail.read() == ([b"told"], True, log.path.stat().st_mtime)
