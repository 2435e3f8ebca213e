"""Lines with the time at which they are taken to have been written: never one before the line ahead of it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

from sglang_exporter.follow.chunk import Chunk
from sglang_exporter.follow.stream import Stream

TimeOf = Callable[[bytes, float], float | None]
"""Returns when a line says it was written, in seconds since the epoch; given the time of the file's last change too."""

_MOST_HELD = 4 << 20
_SET_BACK = 60.0


class Written(NamedTuple):
    """A line without its line feed, and when it was written, in seconds since the epoch."""

    at: float
    line: bytes


@dataclass
class Doubts:
    """What speaks against the times that a file tells.

    `lines` tell an earlier time than the line ahead of them, by `most` seconds at most; the last line tells one that is
    `ahead` seconds after the file's last change.
    """

    lines: int = 0
    most: float = 0.0
    ahead: float = 0.0

    def note(self, seconds: float) -> None:
        """Take in a line that is so many seconds early, if it is."""
        if seconds > 0:
            self.lines += 1
            self.most = max(self.most, seconds)


def chunks(stream: Stream, *, torn_tail: bool) -> Iterator[Chunk]:
    """Yield all that is in a stream now; with `torn_tail` a last line without a line feed too."""
    chunk = stream.read()
    yield chunk
    while stream.behind:
        chunk = stream.read()
        yield chunk
    if torn_tail:
        yield Chunk(stream.finish(), live=False, mtime=chunk.mtime)


def records_as_written(parts: Iterable[Chunk], time_of: TimeOf, first: float, doubts: Doubts) -> Iterator[Written]:
    """Yield the lines of an output file: each was written when its record was over, or after the line ahead of it.

    `first` is when the first line that tells a time was written.
    """
    latest = first
    for chunk in parts:
        for line in chunk.lines:
            told = time_of(line, chunk.mtime)
            if told is not None:
                doubts.note(latest - told)
                latest = max(latest, told)
            yield Written(latest, line)
        doubts.ahead = latest - chunk.mtime


def log_as_written(parts: Iterable[Chunk], time_of: TimeOf, first: float, doubts: Doubts) -> Iterator[Written]:
    """Yield the lines of a log: one without a time was written right after the line ahead of it.

    A time that the next line with one takes back is not believed: it may come from a damaged line, and nothing after it
    would be in its place. Where the clock was set back, all count at once until it shows what it had shown before.
    """
    latest, told, held, size = first, first, list[bytes](), 0
    for chunk in parts:
        for line in chunk.lines:
            following = time_of(line, chunk.mtime)
            if following is not None or size > _MOST_HELD:
                latest = max(latest, _believed(told, following, latest))
                yield from (Written(latest, one) for one in held)
                held, size = [], 0
            if following is not None:
                doubts.note(latest - following)
                told = following
            held.append(line)
            size += len(line)
        doubts.ahead = max(latest, told) - chunk.mtime
    latest = max(latest, told)
    yield from (Written(latest, one) for one in held)


def _believed(told: float, following: float | None, latest: float) -> float:
    """Return when a line was written that tells a time, by that and by what the next line that has one tells."""
    if following is None or following < latest - _SET_BACK:
        return told
    return min(told, following)
