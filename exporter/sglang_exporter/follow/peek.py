"""A look at the end of a file, without following it."""

import os
from pathlib import Path
from typing import NamedTuple

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
