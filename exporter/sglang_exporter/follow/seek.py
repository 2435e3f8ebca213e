"""Where a mark is in files that may have been renamed, copied or compressed since."""

import gzip
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import NamedTuple

from sglang_exporter.follow.chunk import BUDGET
from sglang_exporter.follow.disk import Disk, is_passing, open_regular
from sglang_exporter.follow.position import KEPT, LOOKS, START, Mark, Place
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

    A blank mark, which is at the beginning of any file, is found by its identity alone.
    """
    for file in sorted(files, key=lambda file: not mark.is_in(file)):
        if (mark.is_in(file) or not mark.is_blank) and (place := place_in(disk, file, mark)):
            return Start(file, place)
    return None


def place_in(disk: Disk, file: Sibling, mark: Mark) -> Place | None:
    """Return the place of a mark in a file; None where other bytes are there, or in another one that is hidden.

    Raises OSError where a file cannot be read for the moment.
    """
    try:
        place = _place_at(disk, file, mark)
    except PermissionError:
        if mark.is_in(file):
            raise
        return None
    except _DAMAGED:
        return None
    return place if place and mark.is_at(place) else None


def first_place(disk: Disk, file: Sibling) -> Place | None:
    """Return the start of a file, behind its NULs, with its first bytes: it is known by them while it is not read.

    None if it cannot be read; raises OSError where that is so for the moment.
    """
    try:
        with _content(disk, file) as (read, data_start):
            offset, head = 0, read(KEPT, 0)
            for _ in range(LOOKS):
                if head.strip(b"\0") or not head:
                    break
                offset = max(offset + len(head), data_start(offset))
                head = read(BUDGET, offset)
            offset += len(head) - len(head.lstrip(b"\0"))
    except (OSError, *_DAMAGED) as error:
        if is_passing(error):
            raise
        return None
    return Place(offset, head.lstrip(b"\0")[:KEPT], bytes(min(KEPT, offset)))


def end_place(disk: Disk, file: Sibling) -> Place | None:
    """Return the place at the end of a file that is not compressed; None if we may not read it."""
    length = min(KEPT, file.size)
    with suppress(PermissionError), _content(disk, file) as (read, _):
        return Place(file.size, read(length, 0), read(length, file.size - length))
    return None


def is_copy(disk: Disk, file: Sibling, mark: Mark) -> bool:
    """Tell whether a file has the content, and all of the content, of the file that a mark is in."""
    return mark.known > 0 and _has_size_of(disk, file, mark) and place_in(disk, file, mark) is not None


def go_on_in(disk: Disk, file: Sibling, read: Sequence[Mark]) -> Place:
    """Return where to go on in a file, given the places that files have been read up to, the latest last."""
    for mark in reversed(read):
        if (mark.is_in(file) or is_copy(disk, file, mark)) and (place := place_in(disk, file, mark)):
            return place
    return START


def unread(disk: Disk, files: Iterable[Sibling], read: Sequence[Mark]) -> list[Start]:
    """Return those of the files of which not all has been read, and where to go on in them."""
    starts = (Start(file, go_on_in(disk, file, read)) for file in files)
    return [
        start
        for start in starts
        if not start.place.offset or (not start.file.compressed and start.place.offset < start.file.size)
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


def _place_at(disk: Disk, file: Sibling, mark: Mark) -> Place | None:
    length = min(KEPT, mark.offset)
    with _content(disk, file) as (read, _):
        if mark.is_start:
            before, head = read(length, mark.offset - length), read(mark.known, mark.offset)
        else:
            head, before = read(mark.known, 0), read(length, mark.offset - length)
    place = Place(mark.offset, head, before)
    return place if (len(place.head), len(place.before)) == (mark.known, length) else None


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
def _content(disk: Disk, file: Sibling) -> Iterator[tuple[Callable[[int, int], bytes], Callable[[int], int]]]:
    """Yield what reads so many bytes from a position of the content on, and what tells where data begins."""
    with _opened(disk, file) as fd:
        if not file.compressed:
            yield lambda length, position: disk.pread(fd, length, position), lambda at: disk.data_start(fd, at)
            return
        with os.fdopen(fd, "rb", closefd=False) as raw, gzip.GzipFile(fileobj=raw) as content:
            yield (
                lambda length, position: content.read(length) if content.seek(position) == position else b"",
                lambda at: at,
            )


@contextmanager
def _opened(disk: Disk, file: Sibling) -> Iterator[int]:
    fd, _ = open_regular(disk, file.path, file.identity)
    try:
        yield fd
    finally:
        disk.close(fd)
