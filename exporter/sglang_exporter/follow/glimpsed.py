"""What vain looks have seen, so that what is gone before one succeeds is told as lost."""

import os
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress

from sglang_exporter.follow.disk import Disk, Identity, identity_of
from sglang_exporter.follow.position import Glimpse, Mark, Position
from sglang_exporter.follow.seek import end_place, find, is_later, place_in
from sglang_exporter.follow.siblings import Sibling, opened_at, siblings


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
    """What was seen by looks that then failed: `kept`, which an earlier run may have begun."""

    def __init__(self, disk: Disk) -> None:
        self.kept: tuple[Glimpse, ...] = ()
        self._disk = disk

    @contextmanager
    def noting(self, position: Position, known: Collection[Identity] = ()) -> Iterator[NotingDisk]:
        """Look with the disk that this yields; where that raises OSError, keep what was seen behind the position.

        Where nothing can be read for the moment, nothing was seen; nothing is kept of files that are packed, or known.
        """
        disk = NotingDisk(self._disk)
        try:
            yield disk
        except OSError:
            files = disk.files.values()
            kept = [glimpse for glimpse in self.kept if not self._is_in(glimpse, files)]
            for file in files:
                if not file.compressed and file.identity not in known:
                    with suppress(OSError):
                        kept += _seen(self._disk, position, file)
            self.kept = tuple(kept)
            raise

    def lost(self, path: str, found: Iterable[Sibling], marks: Iterable[Mark] = ()) -> int:
        """Return the unread bytes that were seen, or were behind `marks`, and that no file has any more.

        The files are those that were found, the one at the path, and its rotated siblings. Raises OSError where they
        cannot be read for the moment.
        """
        lost = {mark.identity: mark.unread for mark in marks}
        if self.kept:
            at_path = opened_at(self._disk, path)
            files = [*siblings(self._disk, path), *([at_path] if at_path else []), *found]
            for end, unread in self.kept:
                if not find(self._disk, end, files):
                    lost[end.identity] = max(unread, lost.get(end.identity, 0))
        return sum(lost.values())

    def _is_in(self, glimpse: Glimpse, files: Collection[Sibling]) -> bool:
        with suppress(OSError):
            return find(self._disk, glimpse.end, files) is not None
        return False


def _seen(disk: Disk, position: Position, file: Sibling) -> list[Glimpse]:
    marks = [mark for mark in (*position.open, *position.read) if mark.is_in(file) or not mark.is_blank]
    places = [place for mark in marks if (place := place_in(disk, file, mark))]
    end = end_place(disk, file)
    is_new = not position.open or is_later(file, position.open[0].mtime)
    if not end or not (places or is_new):
        return []
    unread = file.size - max((place.offset for place in places), default=0)
    return [Glimpse(Mark.of(file, end), unread)] if unread else []
