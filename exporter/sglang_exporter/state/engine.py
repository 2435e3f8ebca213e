"""One SGLang engine: its runs, its counters, its schedulers."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from sglang_exporter.serverlog.events import Event, Request, Value
from sglang_exporter.serverlog.readings import Gauges
from sglang_exporter.state.ending import ENDS, Ending
from sglang_exporter.state.finished import Finished
from sglang_exporter.state.incidents import Incidents
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.phase import Phase, Spell
from sglang_exporter.state.rhythm import SHORTEST_SILENCE
from sglang_exporter.state.scheduler import Scheduler
from sglang_exporter.state.unanswered import Unanswered

# Trouble lines by the kind of error they count as.
ERROR_KINDS: dict[str, str] = {
    "scheduler_exception": "exception",
    "process_exception": "exception",
    "out_of_memory": "out_of_memory",
    "watchdog": "watchdog",
    "nccl": "nccl",
    "nan": "nan",
    "health_check_failed": "health_check",
    "sigquit": "sigquit",
    "transfer_failed": "transfer",
    "subprocess_crashed": "other",
    "cuda_error": "other",
}
_LONGEST_LOAD = 600.0  # seconds without a line
# Lines that lie between two starts, so that an equal `server_args=` after them is a second start.
_MOVES_ON = frozenset(("load_begin", "load_end", "capacity", "ready")) | ENDS
_BATCHES = frozenset(("decode", "prefill"))  # these too
SAYS_NOTHING = frozenset(("other", "uvicorn"))
"""Kinds of lines that SGLang need not have said."""


# What each line sets is in dataclasses: a field is set at a fifth of what it costs in a Struct, and a line sets twenty.
@dataclass(slots=True)
class Engine:
    """One SGLang engine. Counters outlive its runs; the rest belongs to the last one."""

    schedulers: dict[str, Scheduler] = field(default_factory=dict)
    http: dict[tuple[str, str, str], float] = field(default_factory=dict)
    errors: dict[str, float] = field(default_factory=dict)
    incidents: Incidents = field(default_factory=Incidents)
    finished: Finished = field(default_factory=Finished)
    by_access: Unanswered = field(default_factory=Unanswered)
    by_finish: Unanswered = field(default_factory=Unanswered)
    answers: str = ""
    starts: float = 0.0
    started: float | None = None
    ready: float | None = None
    arguments: dict[str, str] = field(default_factory=dict)
    digest: int | None = None
    moved_on: bool = False
    ending: Ending = field(default_factory=Ending)
    at_work: bool = False
    last_line: float | None = None
    spell: Spell = field(default_factory=lambda: Spell(midway=True))

    def fold(self, event: Event, moment: Moment) -> None:
        """Take what one line says."""
        self.last_line = moment.at
        kind = event.kind
        if kind == "access":  # the kinds that are nearly all lines come first
            self._access(event.fields)
        elif kind in _BATCHES:
            self.moved_on = True
            self._batch(event, moment)
        elif kind not in SAYS_NOTHING:
            self._happened(kind, event, moment)

    def _happened(self, kind: str, event: Event, moment: Moment) -> None:
        """Take a line that does not come all the time."""
        self.moved_on |= kind in _MOVES_ON
        self.ending.fold(kind, moment.at)
        if (error := ERROR_KINDS.get(kind)) and not self.ending.cleaning_up:
            self._trouble(error, event, moment)
        match kind:
            case "capacity":
                self._scheduler(event).fold_capacity(event, moment)
            case "retract":
                self._retract(event)
            case "server_args":
                self._start(event, moment)
            case "ready":
                self._ready(moment)
            case "json.request.finished" | "request_finished" | "req_time_stats":
                self._request(event)

    def phase(self, now: float, stale_after: float | None) -> Phase | None:
        """Return what the engine is doing; None for a log that never tells, as that of a secondary node."""
        if self.down:
            return "down"
        printing = {dp: s for dp, s in self.schedulers.items() if s.run.newest}
        if self.starts and self.ready is None and not self.at_work:
            return "starting" if self.arguments.get("node_rank", "0") == "0" else None
        if not printing:
            return None if self.ready is None else "idle"
        if any(not s.silent(now, stale_after) for s in printing.values()):
            return self.spell.turn.phase if self.spell.turn else "idle"  # the server's own first request is no work
        return "stalled" if self._left_work(printing) else "idle"

    def gauges(self, now: float, stale_after: float | None) -> dict[str, Gauges]:
        """Return the gauges of each data-parallel rank that are believable; none once the run has ended.

        With `stale_after` 0 they are kept for ever.
        """
        if self.down and stale_after != 0:
            return {}
        return {dp: scheduler.gauges(now, stale_after) for dp, scheduler in self.schedulers.items()}

    @property
    def down(self) -> bool:
        """Whether the run has ended."""
        return self.ending.at is not None

    def silent(self, now: float) -> bool:
        """Tell whether no scheduler has printed a batch line for longer than its own rhythm allows.

        An engine that loads its weights may print nothing for some minutes.
        """
        if self.schedulers or self.down or self.last_line is None:
            return self.down or all(scheduler.silent(now, None) for scheduler in self.schedulers.values())
        return abs(now - self.last_line) > _LONGEST_LOAD

    def _left_work(self, printing: dict[str, Scheduler]) -> bool:
        """Tell whether a queue was left, or requests without an answer where the log tells of answers at all."""
        if any(scheduler.has_queue() for scheduler in printing.values()):
            return True
        unanswered = {"finish": self.by_finish, "access": self.by_access}.get(self.answers, Unanswered())
        return (unanswered.count or 0.0) > 0

    def _trouble(self, error: str, event: Event, moment: Moment) -> None:
        if self.incidents.is_new(error, event.rank, moment.at):
            self.errors[error] = self.errors.get(error, 0.0) + 1

    def _scheduler(self, event: Event) -> Scheduler:
        scheduler = self.schedulers.get(event.ranks.dp)
        if scheduler is None:
            scheduler = self.schedulers[event.ranks.dp] = Scheduler()
        return scheduler

    def _batch(self, event: Event, moment: Moment) -> None:
        spell, schedulers, rank = self.spell, self.schedulers, event.ranks.dp
        if moment.at - spell.last > SHORTEST_SILENCE and spell.began is not None and self.silent(moment.at):
            spell = self.spell = Spell()
        scheduler = schedulers.get(rank) or self._scheduler(event)
        if not scheduler.speaks(event):
            return
        steps = self.arguments.get("decode_log_interval")
        joined, said = scheduler.fold_batch(event, moment, int(steps) if steps and steps.isdecimal() else None)
        spell.fold(event.kind, rank, said)
        present = scheduler.run.present
        if len(schedulers) > 1:
            present = sum([scheduler.run.present for scheduler in schedulers.values()])
        self.by_access.batch(joined, present)
        self.by_finish.batch(joined, present)
        if present > 1:
            self.at_work = True

    def _retract(self, event: Event) -> None:
        requests = self._scheduler(event).fold_retraction(event)
        self.by_access.leave(requests)
        self.by_finish.leave(requests)
        self.spell.retract(requests)

    def _start(self, event: Event, moment: Moment) -> None:
        digest = event.fields.get("digest")
        if self.starts and not self.moved_on and digest == self.digest:
            return
        self.starts += 1
        self.started, self.ready, self.moved_on, self.at_work = moment.at, None, False, False
        self.ending = Ending()
        self.digest = digest if isinstance(digest, int) else None
        self.arguments = {k: str(v) for k, v in event.fields.items() if k != "digest" and v is not None}
        self.incidents = Incidents()
        self.finished.restart()
        self.by_access, self.by_finish, self.answers = Unanswered(), Unanswered(), ""
        self.spell = Spell()
        for scheduler in self.schedulers.values():
            scheduler.restart()

    def _ready(self, moment: Moment) -> None:
        self.ready = moment.at
        if not self.at_work:
            self.spell = Spell()

    def _access(self, fields: Mapping[str, Value]) -> None:
        request = fields if isinstance(fields, Request) else Request(fields)
        labels = request.labels
        try:
            self.http[labels] += 1
        except KeyError:
            self.http[labels] = 1.0
        if request.generates:
            self.by_access.leave(1)
            if not self.answers:
                self.answers = "access"
            if self.answers == "access":
                self.spell.answer()

    def _request(self, event: Event) -> None:
        self.finished.fold(event)
        if event.kind != "req_time_stats":
            self.by_finish.leave(1)
            self.answers = "finish"
            self.spell.answer()
