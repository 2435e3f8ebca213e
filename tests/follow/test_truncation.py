"""A log that is cut to nothing in place, as logrotate's copytruncate does."""

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.follow.position import KEPT
from sglang_exporter.follow.tail import Tail


def test_a_shorter_file_is_read_from_its_beginning(log: Log, tail: Tail) -> None:
    log.write(b"one\ntwo\n")
    read_all(tail)
    log.truncate()
    log.write(b"1\n")
    assert read_all(tail) == [b"1"]
    assert tail.counts.truncations == 1
    assert tail.counts.lost_bytes == 0


def test_an_empty_file_is_counted_once(log: Log, tail: Tail) -> None:
    log.write(b"one\n")
    read_all(tail)
    log.truncate()
    for _ in range(3):
        assert read_all(tail) == []
    assert tail.counts.truncations == 1


def test_bytes_that_were_seen_and_never_read_are_lost(log: Log, tail: Tail) -> None:
    log.write(b"one\ntwo\nthree\npart")
    assert tail.read(budget=5).lines == [b"one"]
    log.truncate()
    assert read_all(tail) == []
    assert tail.counts.lost_bytes == len(b"two\nthree\npart")


def test_bytes_that_were_cut_off_before_they_were_looked_at_are_lost(log: Log, tail: Tail) -> None:
    log.write(b"one\ntwo\nthree\n")
    tail.read(budget=4)
    log.truncate(len(b"one\ntwo\n"))
    assert read_all(tail) == [b"two"]
    assert tail.counts.lost_bytes == len(b"three\n")
    assert tail.counts.truncations == 0


def test_what_comes_after_it_is_live(log: Log, tail: Tail) -> None:
    log.write(b"one\ntwo\n")
    tail.read(budget=5)
    log.truncate()
    log.write(b"1\n")
    assert tail.read().live
    assert tail.caught_up


def test_the_old_file_may_be_truncated_while_it_is_waited_for(log: Log, tail: Tail) -> None:
    log.write(b"one\ntwo\n")
    read_all(tail)
    path = log.path
    log.rename("server.log.1")
    new = Log(path)
    new.write(b"three\n")
    log.truncate()
    log.write(b"1\n")
    assert read_all(tail) == [b"1"]
    assert tail.counts.truncations == 1
    new.close()


def test_of_a_file_that_is_cut_after_a_glance_at_its_end_nothing_more_is_believed(
    log: Log, tail: Tail, disk: FaultyDisk
) -> None:
    log.write(b"x" * 2 * KEPT + b"\n")
    read_all(tail)

    def cut() -> None:
        log.truncate()
        log.write(b"1\n")

    disk.before_read(log.path, 0, cut)
    assert read_all(tail) + read_all(tail) == [b"1"]
    assert tail.counts.truncations == 1
    assert tail.counts.lost_bytes == 0
