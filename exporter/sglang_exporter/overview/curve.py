"""An hour of a figure as the path of an SVG: a step for each mean, and nothing where nothing was."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from math import isfinite
from statistics import fmean
from typing import NamedTuple

from sglang_exporter.metrics.recent import MOMENTS, STEP, Series

HEIGHT = 100


class Reach(NamedTuple):
    """How far back charts go: so many moments, of which so many make a step of the curve."""

    moments: int
    step: int

    @property
    def minutes(self) -> int:
        """The same in minutes."""
        return round(self.moments * STEP / 60)

    @property
    def width(self) -> int:
        """How many steps there are."""
        return self.moments // self.step


class Scale(NamedTuple):
    """The values at the bottom and at the top of a chart."""

    lowest: float
    highest: float

    def heights(self, values: Iterable[float | None]) -> list[int | None]:
        """Return how far from the top values are; where all are the same they are at the bottom."""
        span = self.highest - self.lowest or 1.0
        highest, unit = self.lowest + span, HEIGHT / span
        return [None if value is None else round((highest - value) * unit) for value in values]


_REACHES = (Reach(60, 1), Reach(180, 2), Reach(MOMENTS, 6))


def reach(looked: int, *, coarse: bool) -> Reach:
    """Return how far back charts go when there are so many moments: less than an hour in the first minutes."""
    moments, step = next(each for each in _REACHES if each.moments >= min(looked, MOMENTS))
    return Reach(moments, 2 * step if coarse else step)


def known(hour: Series) -> Series:
    """Return the values that there were."""
    return hour if isfinite(sum(hour)) else [value for value in hour if isfinite(value)]


def curve(hour: Series, scale: Scale, back: Reach) -> str:
    """Return the path of an hour, as far back as it is drawn."""
    return "".join(_steps(scale.heights(_means(hour[-back.moments :], back.step))))


def across(value: float, scale: Scale, back: Reach) -> str:
    """Return the path of a line at a value."""
    [height] = scale.heights([value])
    return f"M0 {height}H{back.width}"


def _steps(heights: list[int | None]) -> Iterator[str]:
    """Yield the commands of the path; the pen is lifted over gaps."""
    at, lifted = 0, True
    for height, run in groupby(heights):
        length = len(list(run))
        if height is not None:
            yield f"M{at} {height}h{length}" if lifted else f"V{height}h{length}"
        lifted = height is None
        at += length


def _means(hour: Series, moments: int) -> list[float | None]:
    sums = map(sum, zip(*(hour[first::moments] for first in range(moments)), strict=True))
    return [
        total / moments if isfinite(total) else _mean(known(hour[number * moments : (number + 1) * moments]))
        for number, total in enumerate(sums)
    ]


def _mean(values: Series) -> float | None:
    return fmean(values) if values else None
