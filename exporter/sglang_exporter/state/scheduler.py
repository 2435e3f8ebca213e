"""One scheduler, a (server, engine, dp_rank): its gauges with an age, and its counters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import inf, isfinite

from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.forms import readings
from sglang_exporter.serverlog.readings import Gauges, Name
from sglang_exporter.serverlog.stamps import since
from sglang_exporter.state.incidents import Echoes
from sglang_exporter.state.laps import Lap
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.rhythm import Rhythm

_QUEUED = ("queued_requests", "")
_SLACK = 4.0
_STAMP = 1.0  # seconds that two stamps of whole seconds may be off by
_JOINED = "prefill_sequences_total"
_PREFILLED = "prefill_tokens_total"
_GIGA = 1e9
_COUNTERS = (
    "generated_tokens_total",
    "prefill_tokens_total",
    "cached_tokens_total",
    "prefill_sequences_total",
    "retractions_total",
    "retracted_requests_total",
)
# What the capacity line says of the run, as metric, label and scale.
_LIMITS = (
    ("capacity_tokens", "max_total_num_tokens", 1.0),
    ("capacity_tokens", "max_total_num_token", 1.0),
    ("max_running_requests", "max_running_requests", 1.0),
    ("context_length_tokens", "context_len", 1.0),
    ("available_memory_bytes", "available_gpu_mem", _GIGA),
    ("available_memory_bytes", "available_cpu_mem", _GIGA),
)


@dataclass(slots=True)
class Status:
    """The last line of one kind: its gauges, and how often that kind comes."""

    names: tuple[Name, ...] = ()
    values: tuple[float, ...] = ()
    rhythm: Rhythm = field(default_factory=Rhythm)

    @property
    def gauges(self) -> Gauges:
        """The gauges by metric and pool."""
        return dict(zip(self.names, self.values, strict=True))


@dataclass(slots=True)
class Run:
    """What holds for one run of the server, and goes with the next start."""

    speaker: tuple[int, ...] | None = None
    said: dict[str, Status] = field(default_factory=dict)
    newest: str = ""
    counted: dict[str, float] = field(default_factory=dict)
    rhythm: Rhythm = field(default_factory=Rhythm)
    limits: dict[str, float] = field(default_factory=dict)
    chunk: int = 0
    """Prompt tokens that a batch prefills at most, 0 for no limit or where the log does not tell."""
    decoded: float | None = None
    most_running: float = 0.0
    """Requests that ran at the Decode line before."""
    present: float = 0.0
    """Requests that ran or waited when the last line was printed, those that joined with it too."""
    retractions: Echoes = field(default_factory=Echoes)


@dataclass(slots=True)
class Scheduler:
    """Counters that outlive a run, and the run."""

    counters: dict[str, float] = field(default_factory=lambda: dict.fromkeys(_COUNTERS, 0.0))
    last_batch: float | None = None
    run: Run = field(default_factory=Run)

    def speaks(self, event: Event) -> bool:
        """Tell whether the rank of a batch line speaks for the scheduler: the lowest one seen in this run."""
        run, ranks = self.run, event.ranks.within
        if ranks == run.speaker or run.speaker is None:
            run.speaker = ranks
            return True
        if ranks > run.speaker:
            return False
        run.speaker = ranks
        return readings(event).amounts != run.counted  # the same batch, as the rank that spoke until now told it

    def fold_batch(self, event: Event, moment: Moment, steps: int | None) -> tuple[float, Lap]:
        """Take a Decode or Prefill line of the rank that speaks; return how many joined, and what it says of work.

        `steps` is after how many decode steps a Decode line is printed (`decode_log_interval`), if that is known.
        """
        read = readings(event)
        run, amounts, at = self.run, read.amounts, moment.at
        running, queued, usage, used, speed, accepted = read.work
        status = run.said.get(event.kind)
        if status is None:
            status = run.said[event.kind] = Status()
        status.names, status.values = read.names, read.values
        run.newest, run.counted = event.kind, amounts
        status.rhythm.beat(at)
        run.rhythm.beat(at)
        self.last_batch = at
        joined = new = self._count_all(amounts) if amounts else 0.0
        if event.kind == "decode":
            self._count_generated(speed, moment, steps and self._most_tokens(running, accepted, steps))
        run.present = running + queued + joined
        if run.chunk and amounts.get(_PREFILLED, 0.0) >= run.chunk:
            new = max(0.0, joined - 1)  # the last sequence of a full batch is cut: it joins again with its next chunk
        return joined, Lap(at, running, queued, usage, speed if isfinite(speed) else None, new, used)

    def fold_capacity(self, event: Event, moment: Moment) -> None:
        """Take the capacity line: the run's limits, and the time from which its first Decode line counts."""
        limits = self.run.limits
        for metric, label, scale in _LIMITS:
            value = event.fields.get(label)
            if isinstance(value, int | float) and not isinstance(value, bool):
                limits[metric] = value * scale
        chunk = event.fields.get("chunked_prefill_size")
        if isinstance(chunk, int):
            self.run.chunk = max(0, chunk)
        if self.run.decoded is None:
            self.run.decoded = _ticks(moment)

    def fold_retraction(self, event: Event) -> float:
        """Take a retraction line and return the requests that it tells of first; every TP rank prints the same one."""
        if not self.run.retractions.is_new(event.rank):
            return 0.0
        printed = event.fields.get("#retracted_reqs")
        requests = printed if isinstance(printed, int) else 0
        self._count("retractions_total", 1)
        self._count("retracted_requests_total", requests)
        return requests

    def restart(self) -> None:
        """Drop what belonged to the run that ended."""
        self.run = Run()

    def gauges(self, now: float, stale_after: float | None) -> Gauges:
        """Return the gauges that are still believable, the newest line's where both kinds of line have one."""
        if self.silent(now, stale_after):
            return {}
        older = [kind for kind in self.run.said if kind != self.run.newest]
        found: Gauges = {}
        for kind in (*older, self.run.newest):
            status = self.run.said[kind]
            if not status.rhythm.silent(now, stale_after):
                found |= status.gauges
        return found

    def silent(self, now: float, stale_after: float | None) -> bool:
        """Tell whether the scheduler printed no batch line for longer than its own rhythm allows."""
        return self.run.rhythm.silent(now, stale_after)

    def has_queue(self) -> bool:
        """Tell whether requests were queued when the last line was printed."""
        return bool(self.run.newest) and self.run.said[self.run.newest].gauges.get(_QUEUED, 0.0) > 0

    def _count_all(self, amounts: Mapping[str, float]) -> float:
        """Count what a line tells, and return how many joined with it."""
        for metric, amount in amounts.items():
            self._count(metric, amount)
        return amounts.get(_JOINED, 0.0)

    def _count(self, metric: str, amount: float) -> None:
        self.counters[metric] = self.counters.get(metric, 0.0) + amount

    def _count_generated(self, speed: float, moment: Moment, most: float | None) -> None:
        """Count the tokens since the Decode line before, `most` of them where that is known."""
        ticks, before = _ticks(moment), self.run.decoded
        self.run.decoded = ticks
        if before in (None, ticks) or not 0 <= speed < inf:  # SGLang can print inf, which no total recovers from
            return
        tokens = speed * max(0.0, since(before, ticks))
        if most:
            tokens = min(tokens, most + speed * _STAMP)
        self._count("generated_tokens_total", tokens)

    def _most_tokens(self, running: float, accepted: float, steps: int) -> float:
        """Return what a Decode line can stand for at most, so that a clock that jumps counts for no more than that."""
        most, self.run.most_running = max(running, self.run.most_running, 1.0), running
        return _SLACK * steps * most * max(1.0, accepted)


def _ticks(moment: Moment) -> float:
    return moment.at if moment.printed is None else moment.printed
