"""A log is renamed to a name that the same glob matches: the stream that has read it has it, under any name."""

from pathlib import Path

import pytest

from follow.resuming import Restarted
from follow.written import Log
from sglang_exporter.follow.discover import discover


@pytest.fixture
def patterns(tmp_path: Path) -> list[str]:
    return [f"{tmp_path}/*.log"]


@pytest.fixture
def renamed(log: Log, restarted: Restarted) -> Log:
    """Return the log after it was read and renamed."""
    log.write(b"one\n")
    restarted.read_to_the_end()
    log.rename("server-old.log")
    return log


@pytest.mark.usefixtures("renamed")
def test_it_is_no_new_stream_while_it_is_held(restarted: Restarted, patterns: list[str]) -> None:
    assert discover(patterns, [restarted.stream]) == []
    assert len(discover(patterns)) == 1


@pytest.mark.usefixtures("renamed")
def test_nor_when_it_has_been_let_go(restarted: Restarted, patterns: list[str]) -> None:
    restarted.path.write_bytes(b"two\n")
    assert restarted.read_to_the_end() == [b"two"]
    assert [found.path for found in discover(patterns, [restarted.stream])] == [str(restarted.path)]


@pytest.mark.usefixtures("renamed")
@pytest.mark.parametrize("is_read", [False, True])
def test_nor_after_a_restart(restarted: Restarted, patterns: list[str], *, is_read: bool) -> None:
    restarted.stop()
    stream = restarted.start()
    if is_read:
        restarted.read_to_the_end()
    assert discover(patterns, [stream]) == []


def test_a_new_file_that_was_given_its_inode_is_one(renamed: Log, restarted: Restarted, patterns: list[str]) -> None:
    restarted.path.write_bytes(b"two\n")
    restarted.read_to_the_end()
    renamed.truncate()
    renamed.write(b"another\n")
    assert len(discover(patterns, [restarted.stream])) == 2


@pytest.mark.usefixtures("renamed")
def test_a_file_that_is_missing_is_followed(restarted: Restarted, tmp_path: Path) -> None:
    assert len(discover([f"{tmp_path}/nothing.log"], [restarted.stream])) == 1
