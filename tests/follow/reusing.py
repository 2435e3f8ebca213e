"""A disk in memory, which gives the inode of a file that is gone to the next new one, the same at each run."""

import os
from itertools import count
from pathlib import Path

from follow.written import LaggingDisk

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 -- it never gives an inode twice: we do
FOLDER = str(SHARED_MEMORY) if SHARED_MEMORY.is_dir() else None


class ReusingDisk(LaggingDisk):
    """A disk on which an inode is used again as soon as the file has no name and nobody but its writer holds it.

    `told` are the sizes that were told of the files that could be opened and read, and `given` the inodes that are told
    instead, by their inodes as they really are.
    """

    def __init__(self, folder: str) -> None:
        super().__init__()
        self.told: dict[int, int] = {}
        self._folder = folder
        self.given: dict[int, int] = {}
        self._numbered: set[int] = set()

    def number(self) -> None:
        """Give an inode to each new file, be the real one that of a file that is gone: to be called when there is one."""
        before, self._numbered = self._numbered, self._in_use()
        used = {self.given[inode] for inode in before & self._numbered}
        for inode in sorted(self._numbered - before):
            self.given[inode] = next(number for number in count(1) if number not in used)
            used.add(self.given[inode])

    def stat(self, path: str) -> os.stat_result:
        return self._renumbered(super().stat(path))

    def fstat(self, fd: int) -> os.stat_result:
        status = super().fstat(fd)
        if "pread" not in self.faults:
            self.told[status.st_ino] = status.st_size
        return self._renumbered(status)

    def _renumbered(self, status: os.stat_result) -> os.stat_result:
        fields = {name: getattr(status, name) for name in dir(status) if name.startswith("st_")}
        return os.stat_result((status.st_mode, self.given.get(status.st_ino, 0), *status[2:]), fields)

    def _in_use(self) -> set[int]:
        entries = (entry for folder, _, _ in os.walk(self._folder) for entry in os.scandir(folder))
        named = {
            entry.inode() for entry in entries if not entry.is_symlink()
        }  # a link is never seen, only where it leads
        return named | {os.fstat(fd).st_ino for fd in self.opened}
