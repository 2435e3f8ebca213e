"""Where the first transient of a series ends: MSER-5, live and in bounded memory.

White, Cobb and Spratt, "A comparison of five steady-state truncation heuristics for simulation", Winter Simulation
Conference 2000: of all points to cut a series of batches of five at, take the one that leaves the least standard error;
if that is not in the first half, the series is too short to tell. Here a batch is the median of five, so that neither a
dip at a retraction nor one wrong line moves it, and old batches are merged two by two when there are many.
"""

from collections.abc import Sequence
from statistics import fmean, median

import msgspec

from sglang_exporter.state.laps import Lap

_BATCH = 5
_LEAST_BATCHES = 10
_MOST_BATCHES = 64
_SHORTEST_REST = 5
_RESOLUTION = 0.01
"""Differences of a hundredth do not count: usage is printed to a hundredth."""


class Batch(msgspec.Struct):
    """The medians of some laps, from `at` on in seconds since the epoch."""

    at: float
    speed: float
    usage: float


class Transient(msgspec.Struct):
    """The laps since work began, as batches."""

    laps: list[Lap] = []
    batches: list[Batch] = []
    waiting: list[Batch] = []
    merged: int = 1
    """How many batches of five laps one of `batches` stands for."""

    def add(self, lap: Lap) -> bool:
        """Take a lap; tell whether that made a new batch."""
        self.laps.append(lap)
        if len(self.laps) < _BATCH:
            return False
        speeds = [lap.speed or 0.0 for lap in self.laps]
        self.waiting.append(Batch(self.laps[0].at, median(speeds), median(lap.usage for lap in self.laps)))
        self.laps.clear()
        if len(self.waiting) < self.merged:
            return False
        self.batches.append(_mean(self.waiting))
        self.waiting.clear()
        if len(self.batches) == _MOST_BATCHES:
            self.batches = [_mean(pair) for pair in zip(self.batches[::2], self.batches[1::2], strict=True)]
            self.merged *= 2
        return True

    @property
    def number(self) -> int:
        """How many batches of five laps there were."""
        return len(self.batches) * self.merged

    def end(self) -> float | None:
        """Return when the transient of speed and usage was over, in seconds since the epoch; None while none can tell.

        That is what one sees of it now: more laps may tell of a later end.
        """
        number = len(self.batches)
        if number < _LEAST_BATCHES:
            return None
        fastest = max(batch.speed for batch in self.batches)
        cut = max(
            truncation([batch.speed for batch in self.batches], _RESOLUTION * fastest),
            truncation([batch.usage for batch in self.batches], _RESOLUTION),
        )
        return self.batches[cut].at if cut <= number / 2 else None


def truncation(series: Sequence[float], resolution: float) -> int:
    """Return how many values to cut off so that the mean of the rest has the least standard error (MSER)."""
    base, cut, least = series[-1], 0, float("inf")
    total = squares = 0.0
    for rest, value in enumerate(reversed(series), start=1):
        total += value - base
        squares += (value - base) ** 2
        error = (squares - total * total / rest + rest * resolution**2) / rest**2
        if rest >= min(_SHORTEST_REST, len(series)) and error <= least:
            cut, least = len(series) - rest, error
    return cut


def _mean(batches: Sequence[Batch]) -> Batch:
    return Batch(batches[0].at, fmean(b.speed for b in batches), fmean(b.usage for b in batches))
