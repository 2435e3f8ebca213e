"""A log that was cut, or written anew, and is longer again than what was read of it: only its bytes tell."""

import pytest

from follow.written import Log, read_all
from sglang_exporter.follow.tail import Tail


@pytest.mark.parametrize("grown", [0, 1, 5000])
def test_other_bytes_before_the_offset_tell_it(log: Log, tail: Tail, grown: int) -> None:
    log.write(b"[2025-07-30 10:00:00] start\nold line\n")
    read_all(tail)
    log.truncate()
    log.write(b"[2025-07-30 10:00:00] start\nnew line\n" + b"\n" * grown)
    assert read_all(tail)[:2] == [b"[2025-07-30 10:00:00] start", b"new line"]
    assert tail.counts.truncations == 1


def test_starts_that_are_alike_for_long_are_told_apart_where_they_differ(log: Log, tail: Tail) -> None:
    start = b"".join(b"server argument %d\n" % i for i in range(1000))
    log.write(start + b"[10:00:00] Decode batch.\n")
    read_all(tail)
    log.truncate()
    log.write(start + b"[11:11:11] Decode batch.\n" + b"more\n")
    assert len(read_all(tail)) == 1002
    assert tail.counts.truncations == 1


def test_ends_that_are_alike_are_told_apart_by_their_beginning(log: Log, tail: Tail) -> None:
    same = b"." * 3000 + b"\n"
    log.write(b"first run\n" + same)
    read_all(tail)
    log.truncate()
    log.write(b"other run\n" + same)
    assert read_all(tail) == [b"other run", same.rstrip()]


@pytest.mark.parametrize("budget", [7, 1000, 256 << 10])
def test_a_file_is_not_taken_for_another_however_its_lines_were_read(log: Log, tail: Tail, budget: int) -> None:
    expected = []
    for i in range(60):
        line = b"%d " % i * (i * 17 % 400)
        expected.append(line)
        log.write(line)
        lines = read_all(tail, budget)
        assert lines == []
        log.write(b"\n")
        assert read_all(tail, budget) == [line]
    assert tail.counts.truncations == 0
