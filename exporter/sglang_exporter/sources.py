"""One followed stream each: its lines are read, and folded into the state of its server or data set."""

from collections.abc import Collection
from typing import Protocol

from sglang_exporter.clock import Clock
from sglang_exporter.follow.stream import Stream
from sglang_exporter.follow.tail import Chunk
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.serverlog.decoder import LogDecoder
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.stamps import Zone, printed_seconds
from sglang_exporter.state.job import JobState
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.server import ServerState
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


class LogSource:
    """The log of one server."""

    def __init__(self, stream: Stream, zone: Zone, state: ServerState, counts: SourceState, clock: Clock) -> None:
        self.stream = stream
        self.newest: float | None = None
        self._zone = zone
        self._state = state
        self._clock = clock
        self._decoder = LogDecoder(counts.kinds, counts.unrecognised)
        self._mtime = 0.0

    def take(self, chunk: Chunk) -> None:
        """Fold lines: history at the time that it prints, live lines as of now."""
        self._mtime = chunk.mtime
        for line in chunk.lines:
            for event in self._decoder.decode(line):
                self._state.fold(event, self._moment(event, chunk))

    def finish(self) -> None:
        """Take a last line without a line feed."""
        self.take(Chunk(self.stream.finish(), live=False, mtime=self._mtime))

    def _moment(self, event: Event, chunk: Chunk) -> Moment:
        if chunk.live:
            self.newest = self._clock.now()
        elif event.time:
            self.newest = self._zone.epoch(event.time, chunk.mtime)
        elif self.newest is None:
            self.newest = chunk.mtime
        return Moment(self.newest, printed_seconds(event.time) if event.time else None)


class OutputSource:
    """One output file of a data set."""

    newest: float | None = None

    def __init__(
        self, stream: Stream, reader: OutputReader, state: JobState, counts: SourceState, clock: Clock
    ) -> None:
        self.stream = stream
        self._reader = reader
        self._state = state
        self._kinds = counts.kinds
        self._clock = clock
        self._mtime = 0.0

    def take(self, chunk: Chunk) -> None:
        """Fold records: history as of the file's last change, live ones as of now."""
        self._mtime = chunk.mtime
        at = self._clock.now() if chunk.live else chunk.mtime
        for line in chunk.lines:
            self._state.fold(self._reader.read(line), at, live=chunk.live)
        self._kinds["record"] = self._kinds.get("record", 0) + len(chunk.lines)

    def finish(self) -> None:
        """Take a last line without a line feed, and a document that ended with it."""
        tail = b"".join(self.stream.finish())
        self._state.fold(self._reader.finish(tail) or [], self._mtime, live=False)


def refresh(state: SourceState, sources: Collection[Source]) -> None:
    """Bring what is told of a source up to date with its streams."""
    streams = [source.stream for source in sources]
    state.up = any(stream.up for stream in streams)
    state.files = sum(stream.up for stream in streams)
    state.behind = sum(stream.behind for stream in streams)
    state.read = sum(stream.counts.bytes for stream in streams)
    state.rotations = sum(stream.counts.rotations for stream in streams)
    state.truncations = sum(stream.counts.truncations for stream in streams)
    state.lost = sum(stream.counts.lost_bytes for stream in streams)
    state.caught_up = all(stream.caught_up for stream in streams)
