"""A look at a file, without following it: at its end, or at what was read of it before a restart."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sglang_exporter.follow.chunk import BUDGET
from sglang_exporter.follow.position import Mark, Position

_ENOUGH = 64 << 10


class Ending(NamedTuple):
    """The last complete lines of a file and when the file last changed, in seconds since the epoch."""

    lines: list[bytes]
    mtime: float


def last_lines(path: str) -> Ending | None:
    """Return the last complete lines of a regular file; None where there is no such file or none short enough."""
    try:
        if not Path(path).is_file():
            return None
        with Path(path).open("rb") as file:
            status = os.fstat(file.fileno())
            file.seek(max(0, status.st_size - _ENOUGH))
            lines = file.read(_ENOUGH).split(b"\n")
    except OSError:
        return None
    return Ending(lines[:-1], status.st_mtime) if len(lines) > 1 else None


def lines_before(position: Position | None) -> Iterator[list[bytes]]:
    """Yield the lines before a position, in pieces, of the file that it is in if that is still where it was."""
    for mark in position.open[:1] if position else ():
        try:
            yield from _lines_of(mark)
        except OSError:
            return


def _lines_of(mark: Mark) -> Iterator[list[bytes]]:
    with Path(mark.path).open("rb") as file:
        status = os.fstat(file.fileno())
        if mark.compressed or (status.st_dev, status.st_ino) != mark.identity:
            return
        rest, left = b"", mark.offset
        while left and (read := file.read(min(left, BUDGET))):
            left -= len(read)
            *lines, rest = (rest + read).split(b"\n")
            yield lines
