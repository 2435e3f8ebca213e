"""Where a mark is in files that may have been renamed, copied or compressed since."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from sglang_exporter.follow.disk import Disk, open_regular
from sglang_exporter.follow.position import KEPT, START, Mark, Place
from sglang_exporter.follow.siblings import Sibling

_ISIZE = 4
_LATE = 60.0
"""Seconds for which a file may be written after its successor was."""
_DAMAGED = (EOFError, zlib.error, gzip.BadGzipFile)


class Start(NamedTuple):
    """A file to read, and from where on."""

    file: Sibling
    place: Place


def find(disk: Disk, mark: Mark, files: Iterable[Sibling]) -> Start | None:
    """Return the place of a mark: in the file with its identity, else in the first with the same bytes.

    Any file has the same zero bytes before its beginning: such a mark is found by its identity alone.
    """
    for file in sorted(files, key=lambda file: file.identity != mark.identity):
        if (file.identity == mark.identity or not mark.is_at_start) and (place := place_in(disk, file, mark)):
            return Start(file, place)
    return None


def place_in(disk: Disk, file: Sibling, mark: Mark) -> Place | None:
    """Return the place of a mark in a file; None where other bytes are there, or in another one that is hidden.

    Raises OSError where a file cannot be read for the moment.
    """
    try:
        place = place_at(disk, file, mark.offset)
    except PermissionError:
        if file.identity == mark.identity:
            raise
        return None
    except _DAMAGED:
        return None
    return place if place and mark.is_at(place) else None


def place_at(disk: Disk, file: Sibling, offset: int) -> Place | None:
    """Return the place that far into the content of a file, or None if there is not so much."""
    length = min(KEPT, offset)
    with _content(disk, file) as read:
        place = Place(offset, read(length, 0), read(length, offset - length))
    return place if len(place.before) == length else None


def first_place(disk: Disk, file: Sibling) -> Place:
    """Return the place behind the first bytes of a file: it is known by them while it has not been read."""
    with suppress(OSError, *_DAMAGED), _content(disk, file) as read:
        head = read(KEPT, 0)
        return Place(len(head), head, head)
    return START


def is_copy(disk: Disk, file: Sibling, mark: Mark) -> bool:
    """Tell whether a file has the content, and all of the content, of the file that a mark is in."""
    return not mark.is_at_start and _has_size_of(disk, file, mark) and place_in(disk, file, mark) is not None


def go_on_in(disk: Disk, file: Sibling, read: Sequence[Mark]) -> Place:
    """Return where to go on in a file, given the places that files have been read up to, the latest last."""
    for mark in reversed(read):
        if (mark.identity == file.identity or is_copy(disk, file, mark)) and (place := place_in(disk, file, mark)):
            return place
    return START


def unread(disk: Disk, files: Iterable[Sibling], read: Sequence[Mark]) -> list[Start]:
    """Return those of the files of which not all has been read, and where to go on in them."""
    starts = (Start(file, go_on_in(disk, file, read)) for file in files)
    return [
        start
        for start in starts
        if start.place == START or (not start.file.compressed and start.place.offset < start.file.size)
    ]


def after(files: Sequence[Sibling], mark: Mark, found: Sibling | None) -> list[Sibling]:
    """Return those of the files, which are in order, that were written after the one with a mark.

    It is `found` among them, or no more there; then they are those that were changed since. Where numbers rise, which
    is not logrotate's way, names that seem later are those of older files: the time of change tells.
    """
    if found is None or found not in files:
        return [file for file in files if is_later(file, mark.mtime)]
    return [file for file in files[files.index(found) + 1 :] if is_later(file, found.mtime - _LATE)]


def is_later(file: Sibling, mtime: float) -> bool:
    """Tell whether a file was changed after that time; of a compressed one, which keeps its time, also at that time."""
    if not file.compressed:
        return file.mtime > mtime
    return file.mtime >= (mtime if file.mtime % 1 else int(mtime))  # logrotate cuts the fraction off


def _has_size_of(disk: Disk, file: Sibling, mark: Mark) -> bool:
    if file.compressed == mark.compressed:
        return file.size == mark.size
    if not file.compressed:
        return file.size == mark.offset
    with suppress(PermissionError), _opened(disk, file) as fd:
        isize = disk.pread(fd, _ISIZE, max(0, file.size - _ISIZE))
        return int.from_bytes(isize, "little") == mark.size % (1 << 8 * _ISIZE)
    return False


@contextmanager
def _content(disk: Disk, file: Sibling) -> Iterator[Callable[[int, int], bytes]]:
    """Yield what reads so many bytes from a position of the content on."""
    with _opened(disk, file) as fd:
        if not file.compressed:
            yield lambda length, position: disk.pread(fd, length, position)
            return
        with os.fdopen(fd, "rb", closefd=False) as raw, gzip.GzipFile(fileobj=raw) as content:
            yield lambda length, position: content.read(length) if content.seek(position) == position else b""


@contextmanager
def _opened(disk: Disk, file: Sibling) -> Iterator[int]:
    fd, _ = open_regular(disk, file.path, file.identity)
    try:
        yield fd
    finally:
        disk.close(fd)
