"""The disk that the campaign runs on: whatever the real one does with its inodes, no two files have one at a time."""

from pathlib import Path

import pytest

from follow.reusing import ReusingDisk


class ScriptedDisk(ReusingDisk):
    """A disk of which the test says what the real inodes are."""

    def __init__(self) -> None:
        super().__init__("")
        self.there: set[int] = set()

    def _in_use(self) -> set[int]:
        return self.there

    def numbers(self, *inodes: int) -> list[int]:
        """Let these files be there, as they really are numbered, and return what is made of that."""
        self.there = set(inodes)
        self.number()
        return [self.given[inode] for inode in inodes]


@pytest.mark.parametrize("real", [(1, 2, 3), (1, 1, 2), (1, 2, 1)])
def test_the_second_file_has_the_inode_of_the_first_and_the_third_another(real: tuple[int, int, int]) -> None:
    disk = ScriptedDisk()
    first, second, third = real
    assert disk.numbers(first) == [1]
    assert disk.numbers(second) == [1]
    assert disk.numbers(second, third) == [1, 2]


def test_a_link_takes_no_inode_away(tmp_path: Path) -> None:
    disk = ReusingDisk(str(tmp_path))
    link, file = tmp_path / "a", tmp_path / "b"
    link.symlink_to(file)
    disk.number()
    file.touch()
    disk.number()
    assert disk.stat(str(link)).st_ino == 1
