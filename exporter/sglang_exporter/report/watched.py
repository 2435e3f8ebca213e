"""States that tell a report what they are told."""

from collections.abc import Sequence

from sglang_exporter.outputs.record import Record
from sglang_exporter.report.history import EngineHistory, Span
from sglang_exporter.report.jobtimes import JobTimes
from sglang_exporter.report.lengths import Lengths
from sglang_exporter.serverlog.events import Event
from sglang_exporter.state.job import JobState
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.server import ServerState


class WatchedServer(ServerState, dict=True):
    """A server whose engines' runs are written down."""

    def watch(self, span: Span) -> "WatchedServer":
        """Begin to write down what lies in a span of time, and return this server."""
        self._span = span
        self.histories: dict[str, EngineHistory] = {}
        return self

    def fold(self, event: Event, moment: Moment) -> None:
        """Take what one line says."""
        slot = self.slots.get(event.engine or "", "")
        if engine := self.engines.get(slot):
            self._history(slot).before(engine, moment)
        super().fold(event, moment)
        slot = self.slots.get(event.engine or "", "")
        if engine := self.engines.get(slot):
            self._history(slot).after(engine, event, moment)

    def finish(self, now: float) -> None:
        """Note how things stand at the end."""
        for slot, engine in self.engines.items():
            self._history(slot).finish(engine, now)

    def _history(self, slot: str) -> EngineHistory:
        if slot not in self.histories:
            self.histories[slot] = EngineHistory(self._span)
        return self.histories[slot]


class WatchedJob(JobState, dict=True):
    """A data set whose records' times are written down."""

    def watch(self, span: Span) -> "WatchedJob":
        """Begin to write down what lies in a span of time, and return this data set."""
        self._span = span
        self.times = JobTimes()
        self.lengths = Lengths()
        return self

    def fold(self, records: Sequence[Record], at: float, *, live: bool) -> None:
        """Take in records."""
        for record in records:
            self.lengths.add(record)
            if record.timestamp is not None and self._span.holds(record.timestamp) and not record.withdrawn:
                self.times.add(record)
        super().fold(records, at, live=live)
