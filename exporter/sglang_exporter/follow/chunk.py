"""What is handed on: lines in chunks, and what was counted on the way."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

BUDGET = 256 << 10
"""Bytes to read at a time: more gains nothing, and less than 64 KiB costs a tenth (performance.md, section 1)."""

MAX_LINE = 64 << 20


Beginning = Literal["next", "anew"]
"""What begins: the file after one that was rotated away, or a content in the place of one that is nowhere any more."""


class Chunk(NamedTuple):
    """Complete lines of one file, without their line feeds.

    `live` is False for history: what was there when the file was first opened at start. `mtime` is the file's, at the
    read, in seconds since the epoch.
    """

    lines: list[bytes]
    live: bool
    mtime: float


NOTHING = Chunk([], live=True, mtime=0.0)


@dataclass(slots=True)
class Counts:
    """What has happened to a followed file, each number only ever rising.

    `bytes` are those of the lines handed on or skipped, `long_lines` the lines skipped for their length, `lost_bytes`
    the ones that were seen to be there and were gone before they were read.
    """

    bytes: int = 0
    rotations: int = 0
    truncations: int = 0
    lost_bytes: int = 0
    long_lines: int = 0

    def copy(self) -> "Counts":
        """Return what is counted so far; `dataclasses.replace` takes four times as long, for each file each second."""
        return Counts(self.bytes, self.rotations, self.truncations, self.lost_bytes, self.long_lines)


def without_long_lines(lines: list[bytes], max_line: int, counts: Counts) -> list[bytes]:
    """Return the lines of at most `max_line` bytes, and count the others."""
    kept = [line for line in lines if len(line) <= max_line]
    counts.long_lines += len(lines) - len(kept)
    return kept
