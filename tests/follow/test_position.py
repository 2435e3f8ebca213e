"""The position of a stream: exactly behind the lines that were returned, in hashes, and for nothing."""

import gzip
from pathlib import Path

import msgspec
import pytest

from follow.resuming import WAIT, Restarted
from follow.written import FaultyDisk, Log
from sglang_exporter.clock import FixedClock


@pytest.mark.parametrize("budget", [3, 7, 11, 1000])
def test_a_stop_after_any_chunk_neither_loses_nor_repeats_a_line(
    log: Log, restarted: Restarted, clock: FixedClock, budget: int
) -> None:
    contents = [b"".join(b"%d.%d\n" % (file, i) * (1 + i % 3) for i in range(9)) for file in range(4)]
    restarted.path.with_name("server.log.3").write_bytes(contents[0] + b"unfinished")
    restarted.path.with_name("server.log.2.gz").write_bytes(gzip.compress(contents[1]))
    restarted.path.with_name("server.log.1").write_bytes(contents[2])
    log.write(contents[3])
    restarted.start(".3", ".2.gz", ".1")
    lines: list[bytes] = []
    for _ in range(400 // budget + 20):
        lines += restarted.stream.read(budget).lines
        restarted.stop()
        restarted.start(".3", ".2.gz", ".1")
        clock.time += WAIT
    lines += restarted.read_to_the_end()
    expected = [content.split(b"\n")[:-1] for content in contents]
    assert lines == [*expected[0], b"unfinished", *expected[1], *expected[2], *expected[3]]
    assert restarted.stream.counts.bytes == sum(map(len, contents)) + len(b"unfinished")


def test_there_is_none_before_a_file_was_seen(path: Path, restarted: Restarted) -> None:
    assert restarted.stream.position is None
    restarted.stream.read()
    assert restarted.stream.position is None
    path.touch()
    restarted.stream.read()
    assert restarted.stream.position is not None


def test_no_text_of_a_line_is_in_it(log: Log, restarted: Restarted) -> None:
    log.write(b"a prompt\n" * 1000)
    restarted.stream.read()
    assert b"prompt" not in msgspec.msgpack.encode(restarted.stream.position)


def test_telling_it_asks_nothing_of_the_disk(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    restarted.path.with_name("server.log.1").write_bytes(b"one\n" * 1000)
    log.write(b"two\n")
    restarted.start(".1")
    restarted.stream.read(budget=100)
    disk.faults = dict.fromkeys(["stat", "open", "fstat", "pread", "names"], 5)
    assert restarted.stream.position is not None
    disk.faults.clear()


def test_a_last_line_that_was_taken_unfinished_is_not_taken_again(log: Log, restarted: Restarted) -> None:
    log.write(b"one\ntwo")
    restarted.stream.read()
    assert restarted.stream.finish() == [b"two"]
    restarted.stop()
    restarted.start()
    assert restarted.read_to_the_end() == []


def test_a_place_within_a_line_that_was_cut_off_is_found(log: Log, restarted: Restarted) -> None:
    log.write(b"one\ntorn")
    restarted.read_and_stop()
    log.truncate(len(b"one\n"))
    log.write(b"two\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"two"]
