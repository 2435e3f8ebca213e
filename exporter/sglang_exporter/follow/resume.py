"""Where a stream goes on after a restart."""

import errno
import os
from typing import NamedTuple

from sglang_exporter.follow.disk import Disk
from sglang_exporter.follow.position import Mark, Position
from sglang_exporter.follow.seek import Start, after, find, go_on_in, is_later, place_in, unread
from sglang_exporter.follow.siblings import neighbours, opened_at, sibling_at, siblings


class Resumed(NamedTuple):
    """What is to be read from now on, oldest first, and the places that were not found again."""

    starts: list[Start]
    lost: list[Mark]


def resume(disk: Disk, path: str, position: Position) -> Resumed:
    """Return where to go on; raise OSError where files cannot be looked at, or there is none at all.

    Without the first mark, go on with the file at the path and the rotated siblings changed since that mark.
    """
    base = sibling_at(disk, path)
    older = [file for file in siblings(disk, path) if base is None or file.identity != base.identity]
    files = [*older, base] if base else older
    found = [find(disk, mark, reversed(files)) or _stray(disk, path, mark) for mark in position.open]
    if not files and not any(found):
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    begun = {start.file.identity: start for start in reversed(found) if start}
    strays = [start for start in found if start and start.file not in files]
    first, file = position.open[0], found[0].file if found[0] else None
    new = after(files, first, file)
    if first.is_blank:  # it may have moved to a copy, which nothing tells from any other file
        new = [file for file in files if file in new or is_later(file, first.mtime)]
    new = [file for file in new if file != base and file.identity not in begun]
    starts = [*begun.values(), *unread(disk, new, position.read)]
    if base and base.identity not in begun:
        starts.append(Start(base, go_on_in(disk, base, position.read)))
    order = [start.file for start in strays] + files
    starts.sort(key=lambda start: order.index(start.file))
    lost = [mark for mark, start in zip(position.open, found, strict=True) if start is None and not mark.is_blank]
    return Resumed(starts, lost)


def _stray(disk: Disk, path: str, mark: Mark) -> Start | None:
    """Find the file of a mark, and no copy of it, under any name; a blank mark would be found in anything."""
    for file in (opened_at(disk, mark.path), *(() if mark.is_blank else neighbours(disk, path))):
        if file and mark.is_in(file) and (place := place_in(disk, file, mark)):
            return Start(file, place)
    return None
