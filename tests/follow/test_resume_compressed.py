"""A restart, and the place is in a compressed file, or in one that was compressed meanwhile."""

import gzip
import os
from pathlib import Path

import pytest

from follow.resuming import Restarted, compress
from follow.written import Log, read_all

LINES = [b"line %d of a log" % i for i in range(1000)]


@pytest.mark.parametrize("lines", [1, 999, 1000])
@pytest.mark.parametrize("number", [1, 3])
def test_the_rest_is_unpacked(log: Log, restarted: Restarted, lines: int, number: int) -> None:
    log.write(b"\n".join(LINES[:lines]) + b"\n")
    restarted.read_and_stop()
    log.write(b"".join(line + b"\n" for line in LINES[lines:]))
    log.rename(f"server.log.{number}")
    compress(log.path)
    restarted.path.write_bytes(b"new\n")
    restarted.start()
    assert restarted.read_to_the_end() == [*LINES[lines:], b"new"]


def test_a_time_without_its_fraction_does_not_hide_a_file(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.path.unlink()
    between = Path(f"{restarted.path}.1.gz")
    between.write_bytes(gzip.compress(b"two\n"))
    second = between.stat().st_mtime_ns // 10**9
    os.utime(between, ns=(0, second * 10**9))
    restarted.path.write_bytes(b"three\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"]


@pytest.mark.parametrize("budget", [1, 100, 20_000])
def test_a_stop_within_a_compressed_file(log: Log, restarted: Restarted, budget: int) -> None:
    Path(f"{restarted.path}.1.gz").write_bytes(gzip.compress(b"\n".join(LINES)))
    log.write(b"new\n")
    stream = restarted.start(".1.gz")
    lines = []
    for _ in range(20_000 // budget // 2 + 1):
        lines += stream.read(budget).lines
    restarted.stop()
    Path(f"{restarted.path}.1.gz").rename(f"{restarted.path}.2.gz")
    restarted.start()
    assert lines + restarted.read_to_the_end() == [*LINES, b"new"]


def test_a_finished_compressed_log_is_not_read_again(restarted: Restarted) -> None:
    restarted.path = restarted.path.with_name("server.log.gz")
    restarted.path.write_bytes(gzip.compress(b"one\ntwo"))
    restarted.start()
    assert restarted.read_and_stop() == [b"one", b"two"]
    stream = restarted.start()
    assert read_all(stream) == []
    assert (stream.up, stream.caught_up) == (True, True)


def test_a_damaged_compressed_file_hides_nothing_else(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.write(b"two\n")
    log.rename("server.log.1")
    Path(f"{restarted.path}.2.gz").write_bytes(gzip.compress(b"one\n" * 1000)[:-10])
    restarted.path.write_bytes(b"three\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"]
