"""The state of one data set: what its output files prove, folded record by record."""

from collections.abc import Sequence

from msgspec import Struct, field

from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.eta import Eta, Progress
from sglang_exporter.state.ids import Ids
from sglang_exporter.state.tally import Counts, average_length, latency_quantile, tally, zeros
from sglang_exporter.state.windows import Amount, Window

_ENOUGH_COUNTS = 50
_LATENCY_SHARES = (0.95, 0.999)


class JobState(Struct, dict=True):
    """One data set. All of it can be stored, but the ids: they are in the files, which are read again for them."""

    config: JobConfig
    windows: dict[str, Window] = {}
    counts: Counts = field(default_factory=zeros)
    floors: Counts = {}
    """What was told before some of it was withdrawn: no total falls below it."""
    unestimated: float = 0
    """Completions without a count that wait for an average; below 0 when counts came later for estimated ones."""
    done_without_id: int = 0
    good_without_id: int = 0
    progress: Progress = field(default_factory=Progress)
    following_since: float | None = None
    last_completion: float | None = None
    written_live: bool = True
    """Whether the files grow while the job runs; if they are written in one go there is no rate to tell."""

    def __post_init__(self) -> None:
        self.forget_ids()

    def caught_up(self, now: float) -> None:
        """Begin to follow: what is folded from now on may be live, and rates begin."""
        self.following_since = now
        self.progress = Progress()
        for window in self.windows.values():
            window.marks.clear()

    def fold(self, records: Sequence[Record], at: float, *, live: bool) -> None:
        """Take in records that arrived at a time, in seconds since the epoch; rates know only what arrived live."""
        if not records:
            return
        counts = self.counts
        names = ("records", "completions", "output_tokens", "uncounted")
        before = [counts[name] for name in names]
        done_before = self._done
        self._count(records)
        worked, completions, output_tokens, uncounted = (counts[n] - was for n, was in zip(names, before, strict=True))
        estimated = self._estimate(uncounted)
        if completions > 0:
            self.last_completion = max(at, self.last_completion or at)
        if live and self.written_live:
            for window in self.windows.values():
                window.add(at, Amount(completions, output_tokens, estimated))
            self.progress.add(at, self._done - done_before, int(worked))

    def resumed(self, fresh: "JobState") -> "JobState":
        """Return what goes on after a restart: the counts of this state under the configuration of a fresh one."""
        self.config, self.windows, self.progress = fresh.config, fresh.windows, fresh.progress
        self.following_since = None
        return self

    def forget_ids(self) -> None:
        """Forget all ids, until they are recalled."""
        self.ids = Ids()

    def recall(self, records: Sequence[Record]) -> None:
        """Take in records that were folded before a restart, for their ids alone, which are never stored."""
        for record in records:
            if record.settles and record.key is not None:
                self._settle(record, -1 if record.withdrawn else 1)

    def totals(self) -> Counts:
        """Return the counts as they are told: none is ever less than before."""
        return {**self.counts, **{name: max(self.counts[name], floor) for name, floor in self.floors.items()}}

    @property
    def done(self) -> int:
        """Records (or completions, by the configuration) that are over with; never more than expected."""
        return min(self._done, self.config.total or self._done)

    @property
    def excess(self) -> int:
        """What is done beyond what was expected."""
        return self._done - self.done

    @property
    def succeeded(self) -> int:
        """What of it is done well by the last record of each id."""
        return min(self.ids.good + self.good_without_id, self.done)

    def rates(self, now: float) -> dict[str, Amount]:
        """Return what arrived per second in each window that has passed since following began."""
        since = self.following_since
        if since is None or not self.written_live:
            return {}
        return {name: window.rates(now) for name, window in self.windows.items() if now - since >= window.span}

    def eta(self, now: float) -> Eta | None:
        """Return when the job will be done, None when that would be a guess."""
        if self.config.total is None or self.following_since is None or not self.written_live:
            return None
        remaining = self.config.total - self.done
        latency, longest = (latency_quantile(self.counts, share) for share in _LATENCY_SHARES)
        return self.progress.eta(remaining, now, self.following_since, latency, longest)

    @property
    def _done(self) -> int:
        return self.ids.done + self.done_without_id

    def _count(self, records: Sequence[Record]) -> None:
        told = self.totals() if any(record.withdrawn for record in records) else {}
        for record in records:
            sign = -1 if record.withdrawn else 1
            repeated = record.settles and self._settle(record, sign)
            if repeated:
                self.counts["duplicates"] += sign
            if not (repeated and record.once):
                tally(record, self.counts, sign)
            if not record.malformed:
                self.written_live = record.live
        if told:
            self.floors = {name: count for name, count in told.items() if count > self.counts[name]}

    def _settle(self, record: Record, sign: int) -> bool:
        """Let a record decide what is done; tell whether its id is there already (or gone, when it is withdrawn)."""
        good, failed = record.completions, sum(number for _, number in record.errors)
        done = good + failed
        if self.config.unit == "records":
            done, good = 1, int(good > 0 or not failed)
        if record.key is None:
            self.done_without_id += sign * done
            self.good_without_id += sign * good
            return False
        if record.withdrawn:
            return not self.ids.forget(record.key)
        if record.once and record.key in self.ids:
            return True
        return self.ids.settle(record.key, done, good)

    def _estimate(self, uncounted: float) -> float:
        """Count estimated tokens for completions without a count; return those of the given ones."""
        average = self.config.tokens.average
        if average == "auto":
            number, average = average_length(self.counts)
            if number < _ENOUGH_COUNTS:
                average = None
        self.unestimated += uncounted
        if average is None or self.unestimated <= 0:
            return 0.0
        estimated, self.unestimated = self.unestimated * average, 0
        self.counts["estimated_output_tokens"] += estimated
        return min(estimated, max(0.0, uncounted) * average)
