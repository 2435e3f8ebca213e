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
        history = self._history(event)
        if history:
            history.before(self.engines[history.slot], moment)
        super().fold(event, moment)
        if history is None or event.engine:  # it may be the first line of an engine
            history = self._history(event)
        if history:
            history.after(self.engines[history.slot], event.kind, moment)

    def finish(self, now: float) -> None:
        """Note how things stand at the end."""
        for slot, history in self.histories.items():
            history.finish(self.engines[slot], now)

    def _history(self, event: Event) -> EngineHistory | None:
        """Return the history of the engine that said something, None while it has said nothing of SGLang's."""
        slot = self.slots.get(event.engine, "") if event.engine else ""
        if slot in self.engines and slot not in self.histories:
            self.histories[slot] = EngineHistory(slot, self._span)
        return self.histories.get(slot)


class WatchedJob(JobState, dict=True):
    """A data set whose records' times are written down."""

    def watch(self, span: Span) -> "WatchedJob":
        """Begin to write down what lies in a span of time, and return this data set."""
        self._span = span
        self.times = JobTimes()
        self.lengths = Lengths()
        return self

    def fold(
        self, records: Sequence[Record], at: float, *, live: bool, file: str = "", shared_ids: bool = False
    ) -> None:
        """Take in records of a file."""
        for record in records:
            self.lengths.add(record)
            if record.timestamp is not None and self._span.holds(record.timestamp) and not record.withdrawn:
                self.times.add(record, self._done_by(record))
        super().fold(records, at, live=live, file=file, shared_ids=shared_ids)

    def _done_by(self, record: Record) -> float:
        """Return how much of the job is done by a record, in the job's unit."""
        if not record.settles or self.config.counted_in == "records":
            return float(record.settles)
        return record.completions + sum(number for _, number in record.errors)
