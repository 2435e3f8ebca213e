"""What tries to go on after a restart have seen, so that what is gone before one succeeds is told as lost."""

import os
from collections.abc import Iterable
from contextlib import suppress

from sglang_exporter.follow.disk import Disk, Identity, identity_of
from sglang_exporter.follow.position import Mark, Position
from sglang_exporter.follow.seek import is_later, unpacked_size
from sglang_exporter.follow.siblings import Sibling


class NotingDisk:
    """A disk that notes the files that are opened on it: `files`, as they were told of last."""

    def __init__(self, disk: Disk) -> None:
        self.files: dict[Identity, Sibling] = {}
        self._disk = disk
        self._paths: dict[int, str] = {}
        self.stat, self.names, self.close = disk.stat, disk.names, disk.close
        self.pread, self.data_start = disk.pread, disk.data_start

    def open(self, path: str) -> int:
        """Open a file for reading."""
        fd = self._disk.open(path)
        self._paths[fd] = path
        return fd

    def fstat(self, fd: int) -> os.stat_result:
        """Return the status of an open file, and note it."""
        status = self._disk.fstat(fd)
        identity = identity_of(status)
        self.files[identity] = Sibling(self._paths[fd], identity, status.st_size, status.st_mtime)
        return status


class Glimpsed:
    """The files, not packed, that failed tries to go on from a position have seen, each as long as it ever was."""

    def __init__(self, files: Iterable[Sibling] = ()) -> None:
        self._files: dict[Identity, Sibling] = {}
        self.note(files)

    @property
    def files(self) -> tuple[Sibling, ...]:
        """Which they are."""
        return tuple(self._files.values())

    def note(self, files: Iterable[Sibling]) -> None:
        """Add what a failed try has seen."""
        for file in files:
            known = self._files.get(file.identity)
            if not file.compressed and (known is None or file.size >= known.size):
                self._files[file.identity] = file

    def lost(self, disk: Disk, position: Position, there: dict[Identity, Sibling], marks: Iterable[Mark]) -> int:
        """Return the bytes that were not read, and are in none of the files that are there now.

        They were in files that were seen, or followed `marks`, which were not found again. What is gone cannot be
        looked into: what is new, and may be a copy of it by size and time, is taken for one.
        """
        new = [(file, _size(disk, file)) for file in there.values() if file.identity not in self._files]
        lost = {mark.identity: mark.unread for mark in marks}
        for identity, file in self._files.items():
            unread, now = _unread(file, position), there.get(identity)
            if not unread or (now and now.size >= file.size):
                continue
            if copy := next((one for one in new if _may_be_copy(*one, file, is_cut=now is not None)), None):
                new.remove(copy)
            else:
                lost[identity] = max(unread, lost.get(identity, 0))
        return sum(lost.values())


def _size(disk: Disk, file: Sibling) -> int:
    """Return the size of what is in a file; of one that cannot be read, none."""
    if not file.compressed:
        return file.size
    with suppress(OSError):
        return unpacked_size(disk, file) or 0
    return 0


def _may_be_copy(copy: Sibling, size: int, file: Sibling, *, is_cut: bool) -> bool:
    """Tell whether a file may have the content of one that is not packed: only one that was cut was copied so."""
    if not is_cut and not copy.compressed:
        return False
    return size >= file.size and is_later(copy, file.mtime)


def _unread(file: Sibling, position: Position) -> int:
    """Return the bytes of a file after a position; none where it is older."""
    marks = [mark for mark in (*position.open, *position.read) if mark.is_in(file)]
    if not marks and not is_later(file, position.open[0].mtime):
        return 0
    return file.size - max((mark.offset for mark in marks if mark.offset <= file.size), default=0)
