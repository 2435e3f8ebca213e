"""One followed stream each: its lines are read, and folded into the state of its server or data set."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import Chunk, Counts
from sglang_exporter.follow.position import Position
from sglang_exporter.follow.stream import Stream
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.serverlog.decoder import LogDecoder
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.stamps import Zone, printed_seconds
from sglang_exporter.sources.saved import SavedJob, SavedLog
from sglang_exporter.state.job import JobState
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.source import SourceState


class LogSource:
    """The log of one server."""

    recalled = True

    def __init__(
        self,
        stream: Stream,
        decoder: LogDecoder,
        zone: Zone,
        state: ServerState,
        counts: SourceState,
        clock: Clock,
    ) -> None:
        self.stream = stream
        self.decoder = decoder
        self.told = Counts()
        self.newest: float | None = None
        self._zone = zone
        self._counts = counts
        self._state = state
        self._clock = clock
        self._mtime = 0.0
        self._moments: dict[str | None, Moment] = {}  # by printed time, for the lines of one chunk

    def recall(self) -> None:
        """Do nothing: of a log, all that was folded before a restart is saved."""

    def take(self, chunk: Chunk) -> Exception | None:
        """Fold lines: history at the time that it prints, live lines as of now."""
        self._mtime = chunk.mtime
        fault: Exception | None = None
        self._moments = {}
        for line in chunk.lines:
            try:
                self._fold(self.decoder.decode(line), chunk)
            except Exception as error:  # noqa: BLE001 -- the lines after a bad one are good
                fault = error
                count_fault(self._counts)
        return fault

    def finish(self) -> None:
        """Take a last line without a line feed, and what a wrapper holds in pieces."""
        rest = Chunk(self.stream.finish(), live=False, mtime=self._mtime)
        self.take(rest)
        self._fold(self.decoder.finish(), rest)

    def _fold(self, events: Iterable[Event], chunk: Chunk) -> None:
        for event in events:
            moment = self._moments.get(event.time)
            if moment is None:
                moment = self._moment(event.time, chunk)
                if event.time:
                    self._moments[event.time] = moment
            self.newest = moment.at
            self._state.fold(event, moment)

    def _moment(self, time: str | None, chunk: Chunk) -> Moment:
        """Return when a line was said that prints `time`; one without is as old as the line before it."""
        if chunk.live:
            at = self._clock.now()
        elif time:
            at = self._zone.epoch(time, chunk.mtime)
        else:
            at = chunk.mtime if self.newest is None else self.newest
        return Moment(at, printed_seconds(time) if time else None)


class OutputSource:
    """One output file of a data set.

    Ids are never saved: after a restart the lines `before` the saved position are read again for them, and for the
    format that they were read by.
    """

    newest: float | None = None

    def __init__(
        self,
        stream: Stream,
        before: Iterator[list[bytes]],
        reader: OutputReader,
        state: JobState,
        counts: SourceState,
        clock: Clock,
    ) -> None:
        self.stream = stream
        self.told = Counts()
        self.recalled = False
        self._before = before
        self._reader = reader
        self._state = state
        self._counts = counts
        self._clock = clock
        self._mtime = 0.0

    def recall(self) -> None:
        """Read a piece of what was folded before the restart."""
        lines = next(self._before, None)
        if lines is None:
            self.recalled = True
        else:
            self._state.recall([record for line in lines for record in self._reader.read(line)])

    def take(self, chunk: Chunk) -> Exception | None:
        """Fold records: history as of the file's last change, live ones as of now."""
        self._mtime = chunk.mtime
        at = self._clock.now() if chunk.live else chunk.mtime
        fault: Exception | None = None
        records: list[Record] = []
        for line in chunk.lines:
            try:
                records += self._reader.read(line)
            except Exception as error:  # noqa: BLE001 -- the lines after a bad one are good
                fault = error
                count_fault(self._counts)
        self._state.fold(records, at, live=chunk.live)
        self._counts.kinds["record"] = self._counts.kinds.get("record", 0) + len(chunk.lines)
        return fault

    def finish(self) -> None:
        """Take a last line without a line feed, and a document that ended with it."""
        tail = b"".join(self.stream.finish())
        self._state.fold(self._reader.finish(tail) or [], self._mtime, live=False)


def count_fault(counts: SourceState) -> None:
    """Count a line that a fault of ours has cost."""
    counts.unrecognised["internal_error"] = counts.unrecognised.get("internal_error", 0) + 1


@dataclass
class FollowedLog:
    """A log, the server that writes it, and what is told of it."""

    name: str
    source: LogSource
    state: ServerState
    counts: SourceState

    def saved(self, now: float) -> SavedLog:
        """Return what is to be kept of it."""
        stream = self.source.stream
        return SavedLog(stream.path, stream.position, self.source.decoder.learnt, self.state, self.counts, now)


@dataclass
class Dataset:
    """A data set and its files by path. Entries of the configuration that call theirs the same share it."""

    state: JobState
    counts: SourceState
    positions: dict[str, Position | None] = field(default_factory=dict)
    """How far files were read that were followed before."""
    streams: dict[str, OutputSource] = field(default_factory=dict)

    def saved(self, now: float) -> SavedJob:
        """Return what is to be kept of it."""
        positions = {path: source.stream.position for path, source in self.streams.items()}
        return SavedJob({**self.positions, **positions}, self.state, self.counts, now)

    def let_go(self, path: str) -> None:
        """Follow a file no more, but know how far it was read."""
        stream = self.streams.pop(path).stream
        self.positions[path] = stream.position
        stream.close()
