"""A symbolic link that leads to one file, then to another, and then to the first one again."""

from pathlib import Path

import pytest

from follow.resuming import Restarted
from follow.written import Log


class Link:
    def __init__(self, path: Path) -> None:
        self._path = path

    def lead_to(self, log: Log) -> None:
        new = self._path.with_name("new")
        new.symlink_to(log.path)
        new.replace(self._path)


@pytest.mark.parametrize("is_stopped", [False, True])
def test_the_first_file_goes_on_where_it_was(tmp_path: Path, restarted: Restarted, *, is_stopped: bool) -> None:
    (tmp_path / "pods").mkdir()
    first, second = Log(tmp_path / "pods" / "0"), Log(tmp_path / "pods" / "1")
    link = Link(restarted.path)
    link.lead_to(first)
    first.write(b"one\n")
    assert restarted.read_to_the_end() == [b"one"]
    link.lead_to(second)
    second.write(b"two\n")
    assert restarted.read_to_the_end() == [b"two"]
    if is_stopped:
        restarted.stop()
    first.write(b"three\n")
    link.lead_to(first)
    if is_stopped:
        restarted.start()
    assert restarted.read_to_the_end() == [b"three"]
    for log in (first, second):
        log.close()


def test_the_rest_of_the_first_file_is_found_after_a_restart(tmp_path: Path, restarted: Restarted) -> None:
    (tmp_path / "pods").mkdir()
    first, second = Log(tmp_path / "pods" / "0"), Log(tmp_path / "pods" / "1")
    link = Link(restarted.path)
    link.lead_to(first)
    first.write(b"one\n")
    restarted.read_and_stop()
    first.write(b"two\n")
    second.write(b"three\n")
    link.lead_to(second)
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"]
    for log in (first, second):
        log.close()
