"""What was written while nobody looked, and has been rotated away by now: copies of a file, and files between two."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from sglang_exporter.follow.disk import Disk
from sglang_exporter.follow.held import HeldFile
from sglang_exporter.follow.position import START, Mark, Place
from sglang_exporter.follow.seek import Start, after, end_place, find, first_place, is_later, unread
from sglang_exporter.follow.siblings import Sibling, opened_at, siblings


class Taken(NamedTuple):
    """What a stream reads or has read: the files that are held open, whatever it holds, and the ends of the others."""

    held: Sequence[HeldFile]
    holds: Callable[[Sibling], bool]
    finished: Sequence[Mark]


def copies(disk: Disk, path: str, held: HeldFile, taken: Taken) -> tuple[Start | None, list[Start]]:
    """Return the rotated sibling that has what was looked at in a file, and those that came and went since.

    Where nothing was in it when it was looked into last, all that came since are the latter.
    """
    others = [file for file in _made_of(disk, path, held) if not taken.holds(file)]
    recent = [file for file in others if file.mtime == held.seen.mtime or is_later(file, held.seen.mtime)]
    new = [file for file, place in unread(disk, recent, taken.finished) if not place.offset]
    new = [file for file in new if not any(_is_copy_of(disk, file, other) for other in taken.held)]
    copy = None if held.begun else find(disk, held.scanned_mark, reversed(new))
    later = after(new, held.scanned_mark, copy.file if copy else None)
    return Start(copy.file, held.place) if copy else None, [Start(file, START) for file in later]


def between(disk: Disk, path: str, new: HeldFile, taken: Taken) -> list[Start]:
    """Return what is to be read between the last file that is held and the new one at the path."""
    if not taken.held:
        return []
    ends = [held.end_mark() for held in taken.held]
    files = [file for file in siblings(disk, path) if file.identity != new.identity]
    found = find(disk, ends[-1], reversed(files))
    later = after(files, ends[-1], found.file if found else None)
    return unread(disk, [file for file in later if not taken.holds(file)], [*taken.finished, *ends])


def _made_of(disk: Disk, path: str, held: HeldFile) -> list[Sibling]:
    """Return the rotated siblings that may have been made of a file: those older than it is under its name now."""
    there = [file for place in (held.path, path) for file in siblings(disk, place)]
    files = list(dict.fromkeys(there))
    for number, file in enumerate(files):
        if file.identity == held.identity or (file.compressed and _is_copy_of(disk, file, held)):
            return files[:number]
    at_path = opened_at(disk, path) if files else None
    if at_path and at_path.identity == held.identity:
        return files
    return [file for file in files if file.mtime <= held.mtime]


def _is_copy_of(disk: Disk, file: Sibling, held: HeldFile) -> bool:
    """Tell whether a file is a copy of what is in another one now, which may be cut only when it is finished."""
    if not file.compressed:
        end = end_place(disk, file)
        return end is not None and held.begins_as(end)
    first = first_place(disk, file)
    if first is None or not first.head:
        return False
    return held.begins_as(Place(first.offset + len(first.head), b"", first.head))
