"""What the loop knows of a source, whatever is in it."""

import errno
import os
from collections.abc import Collection, Iterator
from typing import Protocol

from sglang_exporter.follow.chunk import Chunk, Counts
from sglang_exporter.follow.disk import OWN_WORDS
from sglang_exporter.follow.piped import PipedStream
from sglang_exporter.follow.stream import Stream
from sglang_exporter.sources.saved import Saved
from sglang_exporter.state.source import SourceState

_WORDS = OWN_WORDS.union(map(os.strerror, errno.errorcode))


class Source(Protocol):
    """What the loop knows of a followed stream."""

    @property
    def stream(self) -> Stream | PipedStream:
        """What is followed."""
        ...

    budget: int
    """Bytes to read of it at a time."""
    told: Counts
    """What of the stream's counts the source's state has been told of."""
    rotated: int
    """How many rotated files there are beside the one that is written now."""
    recalled: bool
    """Whether what is not saved has been read again after a restart."""
    newest: float | None
    """When its newest line was said, in seconds since the epoch; None where lines do not tell."""

    @property
    def waits(self) -> bool:
        """Whether nothing is to be done for it before its file has changed."""
        ...

    def recall(self) -> None:
        """Read a piece of what was folded before a restart and is not saved."""
        ...

    def take(self, chunk: Chunk) -> Exception | None:
        """Fold the lines of a chunk; return the last fault of ours, which costs its own line only."""
        ...

    def finish(self) -> None:
        """Take what is left when nothing more will be written: a last line without a line feed."""
        ...


class Group(Protocol):
    """The sources of one entry of the configuration."""

    def discover(self, *, at_start: bool) -> None:
        """Follow files that were not there before; at start, what is in them is history."""
        ...

    def sources(self) -> Iterator[tuple[SourceState, list[Source]]]:
        """Yield the state of each source with its streams."""
        ...

    def refresh(self, now: float) -> None:
        """Bring the state of each source up to date."""
        ...

    def save(self, saved: Saved) -> None:
        """Add what is to be kept across a restart."""
        ...

    @property
    def busy(self) -> bool:
        """Whether there is something to do at once beside reading."""
        ...

    @property
    def whole(self) -> bool:
        """Whether all that was read is folded, so that state and positions belong together."""
        ...


def refresh(state: SourceState, sources: Collection[Source]) -> None:
    """Bring what is told of a source up to date with its streams."""
    state.paths = [source.stream.path for source in sources]
    state.behind = state.files = 0
    state.up, caught_up = False, True
    state.trouble = ""
    for source in sources:
        stream = source.stream
        up = stream.at_end or stream.up
        state.up = state.up or up
        state.files += up + source.rotated
        if error := stream.error:
            state.trouble = state.trouble or reason(error)
        if not stream.at_end:
            state.behind += stream.behind
            caught_up = caught_up and source.recalled and stream.caught_up
        if not stream.still:
            _tell(state, source)
    state.caught_up = state.caught_up or caught_up


def reason(error: str) -> str:
    """Return why a file cannot be read in words of the system's or ours: not its path, and nothing of its content."""
    words = error.rpartition(": ")[2]
    return words if words in _WORDS else "damaged"


def _tell(state: SourceState, source: Source) -> None:
    """Add what the stream has counted since it was last told of; a restart goes on from what was saved."""
    counts, told = source.stream.counts, source.told
    state.read += counts.bytes - told.bytes
    state.rotations += counts.rotations - told.rotations
    state.truncations += counts.truncations - told.truncations
    state.lost += counts.lost_bytes - told.lost_bytes
    if long_lines := counts.long_lines - told.long_lines:
        state.unrecognised["long_line"] = state.unrecognised.get("long_line", 0) + long_lines
    source.told = counts.copy()
