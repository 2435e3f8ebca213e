"""What was read before a restart, to be read again for what is never stored."""

import gzip
import os
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sglang_exporter.follow.chunk import BUDGET
from sglang_exporter.follow.disk import SYSTEM_DISK, Disk, identity_of
from sglang_exporter.follow.position import Position
from sglang_exporter.follow.seek import Start, find
from sglang_exporter.follow.siblings import Sibling, seen, siblings

_DAMAGED = (OSError, EOFError, zlib.error)


class Remembered(NamedTuple):
    """Lines that were read; `older` ones were in a file that is finished. `mtime` is when their file last changed."""

    lines: list[bytes]
    older: bool
    mtime: float


def lines_before(
    path: str, older: Sequence[str], position: Position | None, disk: Disk = SYSTEM_DISK
) -> Iterator[Remembered]:
    """Yield the lines before a position, in pieces: of the finished files that are still there, then of the open one.

    They are sought by what is known of them, whatever they are called by now: rotated, and compressed.
    """
    if position is None:
        return
    with suppress(OSError):
        files = _files(disk, path, older)
        open_mark = position.open[0]
        here = find(disk, open_mark, reversed(files))
        finished = [start for mark in position.read if (start := find(disk, mark, files))]
        known = {start.file.identity for start in finished} | {_identity(disk, name) for name in older}
        before = files[: files.index(here.file)] if here else files
        for file in before:
            if file.identity in known and (here is None or file.identity != here.file.identity):
                yield from _lines(file, None, older=True)
        if here:
            yield from _lines(here.file, here, older=False)


def _files(disk: Disk, path: str, older: Sequence[str]) -> list[Sibling]:
    """Return the rotated files of a path, oldest first, and the one that is there now."""
    rotated = siblings(disk, path)
    named = [file for name in older if (file := seen(disk, name))]
    base = seen(disk, path)
    files = {file.path: file for file in (*rotated, *named)}
    others = [file for file in files.values() if base is None or file.identity != base.identity]
    return [*others, base] if base else others


def _identity(disk: Disk, path: str) -> tuple[int, int] | None:
    file = seen(disk, path)
    return file.identity if file else None


def _lines(file: Sibling, end: Start | None, *, older: bool) -> Iterator[Remembered]:
    """Yield the lines of a file, up to a place in it; of a damaged one as many as can be read."""
    left = end.place.offset if end else None
    rest = b""
    with suppress(*_DAMAGED), Path(file.path).open("rb") as raw:
        if identity_of(os.fstat(raw.fileno())) != file.identity:
            return
        content = gzip.GzipFile(fileobj=raw) if file.compressed else raw
        while left != 0 and (block := content.read(BUDGET if left is None else min(left, BUDGET))):
            left = None if left is None else left - len(block)
            *lines, rest = (rest + block).split(b"\n")
            yield Remembered(lines, older, file.mtime)
    if rest:
        yield Remembered([rest], older, file.mtime)
