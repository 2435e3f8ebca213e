"""One followed log: its lines are read, and folded into the state of its server."""

from dataclasses import dataclass

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import BUDGET, Chunk, Counts
from sglang_exporter.follow.piped import PipedStream
from sglang_exporter.follow.stream import Stream
from sglang_exporter.serverlog.decoder import LogDecoder
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.stamps import Zone, printed_seconds
from sglang_exporter.sources.saved import SavedLog
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.source import SourceState


class LogSource:
    """The log of one server."""

    budget = BUDGET
    recalled = True
    waits = True

    def __init__(
        self,
        stream: Stream | PipedStream,
        decoder: LogDecoder,
        zone: Zone,
        state: ServerState,
        counts: SourceState,
        clock: Clock,
    ) -> None:
        self.stream = stream
        self.decoder = decoder
        self.told = Counts()
        self.rotated = 0
        self.newest: float | None = None
        self.zone = zone
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
        moments = self._moments = {}
        fault: Exception | None = None
        read, fold = self.decoder.familiar.read, self._state.fold
        for line in chunk.lines:
            try:
                if (event := read(line)) and (moment := moments.get(event.time)):  # as nearly every line is
                    self.newest = moment.at
                    fold(event, moment)
                    continue
                for said in (event,) if event else self.decoder.puzzle_out(line):
                    self._fold(said, chunk)
            except Exception as error:  # noqa: BLE001 -- the lines after a bad one are good
                fault = error
                self._counts.count_fault()
        return fault

    def finish(self) -> None:
        """Take a last line without a line feed, and what a wrapper holds in pieces."""
        rest = Chunk(self.stream.finish(), live=False, mtime=self._mtime)
        self.take(rest)
        for event in self.decoder.finish():
            self._fold(event, rest)

    def _fold(self, event: Event, chunk: Chunk) -> None:
        moment = self._moments.get(event.time) or self._moment(event.time, chunk)
        self.newest = moment.at
        self._state.fold(event, moment)

    def _moment(self, time: str | None, chunk: Chunk) -> Moment:
        """Return when a line was said that prints `time`; one without is as old as the line before it."""
        if chunk.live:
            at = self._clock.now()
        elif time:
            at = self.zone.epoch(time, chunk.mtime)
        else:
            at = chunk.mtime if self.newest is None else self.newest
        moment = Moment(at, printed_seconds(time) if time else None)
        if time:
            self._moments[time] = moment
        return moment


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
