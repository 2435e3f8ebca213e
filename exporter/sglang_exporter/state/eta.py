"""When a job will be done, from what was done lately."""

from math import inf, sqrt
from statistics import fmean, pstdev
from typing import NamedTuple

from msgspec import Struct

LEAST_SPAN = 600.0
"""Seconds that a rate is taken over at least."""
_LEAST_DONE = 64
_LEAST_RECORDS = 5
_PARTS = 12
_DEVIATIONS = 1.5
_LEAST_SHARE = 1 / 3
_RESOLUTION = 5.0
_MOST_MARKS = 720


class Eta(NamedTuple):
    """When a job will be done, in seconds since the epoch: at the earliest, probably, at the latest."""

    low: float
    best: float
    high: float


class Progress(Struct):
    """How much was done when, all since `since`: fine lately, and the coarser the longer ago."""

    marks: list[tuple[float, float]] = []
    records: int = 0
    since: float = inf

    def add(self, at: float, done: float, records: int) -> None:
        """Take in what was done at a time, by so many records."""
        self.records += records
        if self.marks and 0 <= at - self.marks[-1][0] < _RESOLUTION:
            time, before = self.marks[-1]
            self.marks[-1] = (time, before + done)
            return
        self.marks.append((at, done))
        if len(self.marks) > _MOST_MARKS:
            old = self.marks[: _MOST_MARKS // 2]
            pairs = [(a[0], a[1] + b[1]) for a, b in zip(old[::2], old[1::2], strict=True)]
            self.marks[: _MOST_MARKS // 2] = pairs

    def eta(self, remaining: float, now: float, latency: float | None, longest: float | None) -> Eta | None:
        """Return when the rest will be done, None when that would be a guess.

        `latency` and `longest` are the 95th and the 99.9th percentile of the requests' latencies in seconds, None where
        records do not tell them.

        The rate is taken over a span: ten minutes, the time the last 64 took, or twice the latency, whichever is most.
        For low and high, up to twelve spans are cut into twelve parts. The rate may become again what it is in the mean
        of the parts; and be off by 1.5 times the standard deviation of their rates, scaled from parts to a span by the
        square root, but by two thirds at most. High has the longest latency on top, for the longest answers come last.
        """
        span = self._span(now, latency or 0.0)
        if self.records < _LEAST_RECORDS or span < LEAST_SPAN or remaining <= 0:
            return None
        rate = self._done(now - span, now) / span
        if rate <= 0:
            return None
        part = min(now - self.since, _PARTS * span) / _PARTS
        rates = [self._done(now - (i + 1) * part, now - i * part) / part for i in range(_PARTS)]
        error = _DEVIATIONS * pstdev(rates) * sqrt(part / span)
        fast = max(rate, fmean(rates)) + error
        slow = max(min(rate, fmean(rates)) - error, rate * _LEAST_SHARE)
        return Eta(now + remaining / fast, now + remaining / rate, now + remaining / slow + (longest or 0.0))

    def _span(self, now: float, latency: float) -> float:
        """Return the seconds to take the rate over, no more than are known."""
        first, last, done = self.since, self.marks[-1][0] if self.marks else now, 0.0
        for time, number in reversed(self.marks):
            done += number
            if done >= _LEAST_DONE:
                first = time
                break
        return min(max(LEAST_SPAN, last - first, 2 * latency), now - self.since)

    def _done(self, after: float, until: float) -> float:
        return sum(done for time, done in self.marks if after < time <= until)
