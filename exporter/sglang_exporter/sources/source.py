"""What the loop knows of a source, whatever is in it."""

from collections.abc import Collection, Iterator
from typing import Protocol

from sglang_exporter.follow.chunk import Chunk
from sglang_exporter.follow.stream import Stream
from sglang_exporter.state.source import SourceState


class Source(Protocol):
    """What the loop knows of a followed stream."""

    stream: Stream
    newest: float | None
    """When its newest line was said, in seconds since the epoch; None where lines do not tell."""

    def take(self, chunk: Chunk) -> None:
        """Fold the lines of a chunk."""
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


def refresh(state: SourceState, sources: Collection[Source]) -> None:
    """Bring what is told of a source up to date with its streams."""
    streams = [source.stream for source in sources]
    state.up = any(stream.up for stream in streams)
    state.paths = [stream.path for stream in streams]
    state.files = sum(stream.up for stream in streams)
    state.behind = sum(stream.behind for stream in streams)
    state.read = sum(stream.counts.bytes for stream in streams)
    state.rotations = sum(stream.counts.rotations for stream in streams)
    state.truncations = sum(stream.counts.truncations for stream in streams)
    state.lost = sum(stream.counts.lost_bytes for stream in streams)
    state.caught_up = all(stream.caught_up for stream in streams)
