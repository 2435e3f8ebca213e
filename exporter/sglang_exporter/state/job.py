"""The state of one data set: what its output files prove, folded record by record."""

from collections.abc import Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.beginning import begin_window, begun_progress
from sglang_exporter.state.content import worth
from sglang_exporter.state.estimates import Estimates, mean_of
from sglang_exporter.state.eta import Eta, Progress
from sglang_exporter.state.past import Past
from sglang_exporter.state.slots import Slots
from sglang_exporter.state.tally import Counts, add, latency_quantile, zeros
from sglang_exporter.state.windows import Amount, Window

_LATENCY_SHARES = (0.95, 0.999)


class JobState(Struct, dict=True):
    """One data set. All of it can be stored, but the ids: they are in the files, which are read again for them.

    Counters (`counts`) are of work that was done; gauges (`done`, `succeeded`) of what the files hold now.
    """

    config: JobConfig
    windows: dict[str, Window] = {}
    counts: Counts = field(default_factory=zeros)
    floors: Counts = {}
    """What was told before some of it was withdrawn: no total falls below it."""
    estimates: Estimates = field(default_factory=Estimates)
    slots: Slots = field(default_factory=Slots)
    """What is in each output file."""
    rewrites: int = 0
    restarts: int = 0
    """Times that a file was written anew, and that this was a new run."""
    progress: Progress = field(default_factory=Progress)
    expected: int | None = None
    """Records (or completions, by the configuration) that the whole job has."""
    following: bool = False
    last_completion: float | None = None
    written_live: bool = True
    """Whether the files grow while the job runs; if they are written in one go there is no rate to tell."""

    def __post_init__(self) -> None:
        self.past = Past()
        self.configure(self.config)

    def configure(self, config: JobConfig) -> None:
        """Go on under a configuration."""
        if isinstance(config.total, int) or config.total != self.config.total:
            self.expected = config.total if isinstance(config.total, int) else None
        self.config = config

    def caught_up(self, now: float) -> None:
        """Begin to follow: what is folded from now on may be live. Rates begin with what is known of the past."""
        self.following = True
        past, self.past = self.past, Past()
        average = mean_of(self.config.tokens.average, self.counts) or 0.0
        for window in self.windows.values():
            begin_window(window, past, now, average)
        self.progress = begun_progress(past, now)

    def unfollow(self) -> None:
        """Tell no rates: nothing was followed."""
        self.following = False

    def fold(
        self, records: Sequence[Record], at: float, *, live: bool, file: str = "", shared_ids: bool = False
    ) -> None:
        """Take in records of a file that arrived at a time, in seconds since the epoch; rates know only what is live.

        With `shared_ids`, ids are the same in other files.
        """
        if not records:
            return
        slot, others = self.slots.at(file), self.slots.others(file, shared=shared_ids)
        self.written_live = next((record.live for record in reversed(records) if not record.malformed), True)
        if slot.rewriting:
            slot.rewriting.fold(records, self.config.counted_in, others)
            slot.rewriting.newest = at
            return
        told = self.totals() if any(record.withdrawn for record in records) else {}
        work, done = slot.current.fold(records, self.config.counted_in, others)
        estimated = self._count(work, at)
        if told:
            self.floors = {name: count for name, count in told.items() if count > self.counts[name]}
        if not live:
            self._remember(records, at)
        elif self.written_live:
            for window in self.windows.values():
                window.add(at, Amount(work["completions"], work["output_tokens"], estimated))
            self.progress.add(at, done, int(work["records"]))

    def recall(self, records: Sequence[Record], at: float, *, file: str = "", older: bool = False) -> None:
        """Take in records that were folded before a restart, for their ids, which are never stored, and their times.

        `at` is when their file last changed. `older` are those of files that were rotated away.
        """
        slot = self.slots.at(file)
        content = slot.older if older else slot.current
        for record in records:
            content.recall(record, self.config.counted_in)
        self._remember(records, at)

    def decide(self, file: str, *, shared_ids: bool = False) -> bool | None:
        """Count what was written anew, which has been read whole; tell if it is a new run, None if nothing was open."""
        slot = self.slots.at(file)
        if (rewriting := slot.rewriting) is None:
            return None
        slot.current, slot.rewriting = rewriting.new, None
        for others in self.slots.others(file, shared=shared_ids):
            others.forget_all(slot.current.ids)
        work = {**zeros(), **rewriting.work}
        self._count(work, rewriting.newest)
        if rewriting.is_new_run:
            self.restarts += 1
            self.progress = Progress(since=max(self.progress.since, rewriting.newest))
        else:
            self.rewrites += 1
        return rewriting.is_new_run

    def stored(self) -> "JobState":
        """Return what is to be stored of it."""
        return replace(self, slots=self.slots.stored())

    def resumed(self, fresh: "JobState") -> "JobState":
        """Return what goes on after a restart: the counts of this state under the configuration of a fresh one."""
        self.configure(fresh.config)
        self.windows, self.progress, self.following = fresh.windows, fresh.progress, False
        return self

    def totals(self) -> Counts:
        """Return the counts as they are told: none is ever less than before."""
        return {**self.counts, **{name: max(self.counts[name], floor) for name, floor in self.floors.items()}}

    @property
    def done(self) -> int:
        """Records (or completions, by the configuration) that are over with; never more than expected."""
        return min(self.slots.done, self.expected or self.slots.done)

    @property
    def excess(self) -> int:
        """What is done beyond what was expected."""
        return self.slots.done - self.done

    @property
    def succeeded(self) -> int:
        """What of it is done well by the last record of each id."""
        return min(self.slots.good, self.done)

    def rates(self, now: float) -> dict[str, Amount]:
        """Return what arrived per second in each window of which all is known."""
        if not (self.following and self.written_live):
            return {}
        return {name: window.rates(now) for name, window in self.windows.items() if window.passed(now)}

    def eta(self, now: float) -> Eta | None:
        """Return when the job will be done, None when that would be a guess."""
        if self.expected is None or not (self.following and self.written_live):
            return None
        latency, longest = (latency_quantile(self.counts, share) for share in _LATENCY_SHARES)
        return self.progress.eta(self.expected - self.done, now, latency, longest)

    def _count(self, work: Counts, at: float) -> float:
        """Count work that was seen at a time; return the tokens of it that are estimated."""
        add(self.counts, work)
        if work["completions"] > 0:
            self.last_completion = max(at, self.last_completion or at)
        uncounted = work["uncounted"] - work["measured"]
        estimated = self.estimates.count(uncounted, self.config.tokens.average, self.counts)
        return work["estimated_output_tokens"] + estimated

    def _remember(self, records: Sequence[Record], at: float) -> None:
        for record in () if self.following or self.past.spoilt else records:
            done, _ = worth(record, self.config.counted_in) if record.settles else (0, 0)
            self.past.add(record, done, at)
