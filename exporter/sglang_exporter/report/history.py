"""What an engine did, run by run, as its log is folded."""

from dataclasses import dataclass, field

from sglang_exporter.report.rows import Row, Rows
from sglang_exporter.report.turns import Turns
from sglang_exporter.serverlog.grammar import GENERATING_HANDLERS
from sglang_exporter.state.engine import Engine
from sglang_exporter.state.finished import Tally
from sglang_exporter.state.laps import Lap
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.phase import Spell, Turn
from sglang_exporter.state.rhythm import SHORTEST_SILENCE

_BATCHES = frozenset(("decode", "prefill"))
_CHANGES_NOTHING = frozenset(("access", "other", "uvicorn", "request_received", "request_finished", "req_time_stats"))
_BUSY = frozenset(("warmup", "steady", "drain"))
_FROM_SCHEDULERS = {
    "generated": "generated_tokens_total",
    "prefilled": "prefill_tokens_total",
    "cached": "cached_tokens_total",
    "retractions": "retractions_total",
    "retracted": "retracted_requests_total",
}
_CAPACITY, _MOST_RUNNING, _CONTEXT = "capacity_tokens", "max_running_requests", "context_length_tokens"
_NAN = float("nan")
_FINE = 32
_COARSE = 128
"""Runs before the last 32 keep 128 laps: a crash loop of thousands shall fit into memory."""


@dataclass
class Span:
    """What is to be looked at, in seconds since the epoch."""

    since: float = float("-inf")
    until: float = float("inf")

    def holds(self, at: float) -> bool:
        """Tell whether a time is in it."""
        return self.since <= at <= self.until


@dataclass
class Run:
    """One run of an engine, from a start to the next; times in seconds since the epoch."""

    began: float
    started: bool
    """Whether the log has its start; else it begins in the middle of a run."""
    ended: float
    arguments: dict[str, str] = field(default_factory=dict)
    ready: float | None = None
    capacity: float = 0.0
    max_running: float = 0.0
    context: float = 0.0
    errors: dict[str, float] = field(default_factory=dict)
    rows: Rows = field(default_factory=Rows)
    turns: Turns = field(default_factory=Turns)
    fine: bool = True
    """Whether all its laps are kept that there is room for."""

    def coarsen(self) -> None:
        """Keep few laps."""
        self.fine = False
        self.rows.thin(_COARSE)


class EngineHistory:
    """The runs of one engine. `before` is told of each line ahead of its fold, `after` behind it."""

    def __init__(self, slot: str, span: Span) -> None:
        self.slot = slot
        """The engine's name."""
        self.runs: list[Run] = []
        self._span = span
        self._starts = 0.0
        self._errors: dict[str, float] = {}
        self._spell: Spell | None = None
        self._lap: object = None
        self._last = 0.0
        self._over = False

    def before(self, engine: Engine, moment: Moment) -> None:
        """Note that the engine had fallen silent, if it had."""
        if not self.runs or moment.at - self._last <= SHORTEST_SILENCE:
            return
        self._fall_silent(engine, min(moment.at, self._span.until))

    def after(self, engine: Engine, kind: str, moment: Moment) -> None:
        """Note what a line of a kind changed."""
        if not self._span.since <= moment.at <= self._span.until:
            return
        if not self.runs or engine.starts != self._starts:
            self._begin(engine, moment)
        run = self.runs[-1]
        run.ended = max(run.ended, moment.at)
        if kind in _BATCHES:
            self._work(engine, moment)
        elif kind not in _CHANGES_NOTHING:
            self._tell(engine, moment)

    def finish(self, engine: Engine, now: float) -> None:
        """Note how things stand at the end."""
        if self.runs:
            self._fall_silent(engine, now)
            self.runs[-1].ended = max(self.runs[-1].ended, now)

    def _begin(self, engine: Engine, moment: Moment) -> None:
        if self.runs:
            run = self.runs[-1]
            self._end_spell()
            if run.turns.now and run.turns.now.phase != "down":  # it died without a word
                run.turns.add(Turn("down", max(self._last, run.turns.now.since)))
            run.ended = moment.at
        started = engine.starts > 0 and engine.started == moment.at
        self.runs.append(Run(moment.at, started, moment.at))
        if len(self.runs) > _FINE:
            self.runs[-1 - _FINE].coarsen()
        self._starts, self._last = engine.starts, moment.at
        self._errors = dict(engine.errors)
        self._spell, self._lap = engine.spell, engine.spell.lap
        self._tell(engine, moment)

    def _tell(self, engine: Engine, moment: Moment) -> None:
        """Take over what is told once a run, and the phase."""
        run = self.runs[-1]
        run.arguments = engine.arguments
        if engine.ready is not None and run.ready is None and self._span.holds(engine.ready):
            run.ready = engine.ready
        limits = [scheduler.run.limits for scheduler in engine.schedulers.values()]
        run.capacity = sum(limit.get(_CAPACITY, 0.0) for limit in limits)
        run.max_running = sum(limit.get(_MOST_RUNNING, 0.0) for limit in limits)
        run.context = max((limit.get(_CONTEXT, 0.0) for limit in limits), default=0.0)
        run.errors = {kind: n for kind, was in engine.errors.items() if (n := was - self._errors.get(kind, 0.0))}
        self._turn(engine, moment.at)

    def _work(self, engine: Engine, moment: Moment) -> None:
        spell = engine.spell
        if spell is not self._spell:
            self._end_spell()
            self._spell, self._lap = spell, None
            self._turn(engine, moment.at)
        self._last, self._over = moment.at, False
        if spell.lap is not self._lap and spell.lap is not None:
            self._lap = spell.lap
            self.runs[-1].rows.add(_row(engine, spell.lap))
            self._turn(engine, moment.at)

    def _turn(self, engine: Engine, now: float) -> None:
        phase = engine.phase(now, None)
        if phase is None:
            return
        turns, turn = self.runs[-1].turns, engine.spell.turn
        if phase in _BUSY and turn:
            turns.add(turn._replace(since=max(turn.since, self.runs[-1].began)))
        elif turns.now is None or turns.now.phase != phase:
            turns.add(Turn(phase, now))

    def _end_spell(self) -> None:
        """Note the drain that a stretch of work ended with, if it was not seen before the end."""
        if self._spell and not self._over and (tail := self._spell.tail):
            self.runs[-1].turns.add(tail)
        self._over = True

    def _fall_silent(self, engine: Engine, now: float) -> None:
        turns = self.runs[-1].turns
        if turns.now is None or turns.now.phase not in _BUSY:
            return
        phase = engine.phase(now, None)
        if phase in ("idle", "stalled"):
            self._end_spell()
            turns.add(Turn(phase, max(self._last, turns.now.since)))


def _row(engine: Engine, lap: Lap) -> Row:
    totals = dict.fromkeys(_FROM_SCHEDULERS, 0.0)
    for scheduler in engine.schedulers.values():
        for name, counter in _FROM_SCHEDULERS.items():
            totals[name] += scheduler.counters[counter]
    finished: Tally = engine.finished.total
    return Row(
        at=lap.at,
        speed=_NAN if lap.speed is None else lap.speed,
        usage=lap.usage,
        running=lap.running,
        queued=lap.queued,
        used=lap.used,
        answered=_answered(engine),
        finished=finished.requests,
        finished_tokens=finished.output_tokens,
        finished_input=finished.input_tokens,
        **totals,
    )


def _answered(engine: Engine) -> float:
    """Return how many generation requests were answered well, by access lines."""
    return sum(
        count
        for (method, handler, code), count in engine.http.items()
        if method == "POST" and handler in GENERATING_HANDLERS and code == "200"
    )
