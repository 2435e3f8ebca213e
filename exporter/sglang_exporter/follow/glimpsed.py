"""What tries to go on after a restart have seen, so that what is gone before one succeeds is told as lost."""

import os
from collections.abc import Collection, Iterable
from contextlib import suppress

from sglang_exporter.follow.disk import Disk, Identity, identity_of
from sglang_exporter.follow.position import Glimpse, Mark, Position
from sglang_exporter.follow.seek import end_place, find, is_later, place_in
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


def glimpses(disk: Disk, position: Position, files: Collection[Sibling]) -> tuple[Glimpse, ...]:
    """Return all that is to be told of once it is gone, where these files were seen in one more vain try.

    Where nothing can be read for the moment, nothing was seen; of packed files nothing is kept.
    """
    kept = [glimpse for glimpse in position.glimpsed if not _is_there(disk, glimpse, files)]
    for file in files:
        if not file.compressed:
            with suppress(OSError):
                kept += _seen(disk, position, file)
    return tuple(kept)


def bytes_lost(disk: Disk, position: Position, marks: Iterable[Mark], files: Collection[Sibling]) -> int:
    """Return the unread bytes that were seen, or were behind `marks`, and that none of the files has any more.

    Raises OSError where a file cannot be read for the moment.
    """
    lost = {mark.identity: mark.unread for mark in marks}
    for glimpse in position.glimpsed:
        if not find(disk, glimpse.end, files):
            identity = glimpse.end.identity
            lost[identity] = max(glimpse.unread, lost.get(identity, 0))
    return sum(lost.values())


def _is_there(disk: Disk, glimpse: Glimpse, files: Collection[Sibling]) -> bool:
    with suppress(OSError):
        return find(disk, glimpse.end, files) is not None
    return False


def _seen(disk: Disk, position: Position, file: Sibling) -> list[Glimpse]:
    marks = [mark for mark in (*position.open, *position.read) if mark.is_in(file) or not mark.is_blank]
    places = [place for mark in marks if (place := place_in(disk, file, mark))]
    end = end_place(disk, file)
    if not end or not (places or is_later(file, position.open[0].mtime)):
        return []
    unread = file.size - max((place.offset for place in places), default=0)
    return [Glimpse(Mark.of(file, end), unread)] if unread else []
