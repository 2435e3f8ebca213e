"""A figure with its last hour as a small chart, drawn as SVG; what was not there is a gap."""

from collections.abc import Callable, Iterator
from itertools import groupby
from math import isfinite
from statistics import fmean
from typing import NamedTuple

from sglang_exporter.metrics.recent import MOMENTS, Series
from sglang_exporter.overview.html import Markup, tag
from sglang_exporter.overview.samples import Reading

_HEIGHT = 100
_FINE, _COARSE = 6, 12
"""Moments that a step of a chart stands for: half a minute, or a minute where there are many."""

NONE = Markup('<span class="none" role="img" aria-label="no value">&ndash;</span>')


class Chart(NamedTuple):
    """What is drawn: a quantity with its present value, in words of `say` and a unit.

    It is drawn from 0, or from its lowest value where it is `afloat`, to `full` or its highest; `line` lies across.
    """

    title: str
    unit: str
    now: Reading | None
    hour: Series | None
    say: Callable[[float], str]
    full: float = 0.0
    line: float | None = None
    afloat: bool = False


class _Scale(NamedTuple):
    lowest: float
    highest: float

    def height(self, value: float | None) -> int | None:
        """Return where on the chart a value is, from its top."""
        if value is None:
            return None
        return round(_HEIGHT * (1 - max(0.0, value - self.lowest) / ((self.highest - self.lowest) or 1.0)))


def data(reading: Reading | None, say: Callable[[float], str]) -> Markup:
    """Return a number of /metrics in words, with its exact value and where it is from for whoever looks closer."""
    if reading is None:
        return NONE
    return tag("data", say(reading.value), value=float(reading.value), title=reading.origin)


def figure(chart: Chart, *, coarse: bool = False) -> Markup:
    """Return the chart with its present value, and its range in words."""
    values = [value for value in chart.hour or () if isfinite(value)]
    spread = f"{chart.say(min(values))} to {chart.say(max(values))}" if values else "no value"
    title = chart.title if chart.line is None else f"{chart.title} (line: {chart.say(chart.line)})"
    scale = _Scale(min(values, default=0.0) if chart.afloat else 0.0, max((chart.full, *values)))
    now = tag("p", data(chart.now, chart.say), f" {chart.unit}" if chart.unit else None, class_="now")
    return tag(
        "figure",
        tag("figcaption", title),
        now if chart.now else tag("p", "no value now", class_="now none"),
        tag(
            "svg",
            *_paths(chart, scale, _COARSE if coarse else _FINE),
            role="img",
            aria_label=f"{title} in the last 60 minutes: {spread} {chart.unit}".rstrip(),
            viewBox=f"0 -3 {MOMENTS // (_COARSE if coarse else _FINE)} {_HEIGHT + 6}",
            preserveAspectRatio="none",
        ),
        tag("p", spread, class_="range", aria_hidden="true"),
    )


def _paths(chart: Chart, scale: _Scale, step: int) -> Iterator[Markup]:
    if chart.line is not None:
        yield tag("path", class_="line", d=f"M0 {scale.height(chart.line)}H{MOMENTS // step}")
    if chart.hour is not None:
        yield tag("path", d="".join(_steps(chart.hour, scale, step)))


def _steps(hour: Series, scale: _Scale, step: int) -> Iterator[str]:
    """Yield the commands of a path with a step for the mean of so many values; the pen is lifted over gaps."""
    at, lifted = 0, True
    for height, run in groupby(map(scale.height, _means(hour, step))):
        length = sum(1 for _ in run)
        if height is not None:
            yield f"M{at} {height}h{length}" if lifted else f"V{height}h{length}"
        lifted = height is None
        at += length


def _means(hour: Series, step: int) -> Iterator[float | None]:
    for values in zip(*(hour[first::step] for first in range(step)), strict=True):
        mean = sum(values) / step
        if not isfinite(mean):  # one of them is missing
            there = [value for value in values if isfinite(value)]
            yield fmean(there) if there else None
        else:
            yield mean
