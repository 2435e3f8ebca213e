"""Throughput, usage and phase over time, in characters."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import fmean
from typing import NamedTuple

from sglang_exporter.report.findings import Point
from sglang_exporter.report.words import clock, number

_EIGHTHS = " ▁▂▃▄▅▆▇█"
_LABEL = 9
_WIDEST = 120
_HEIGHTS = {"tok/s": 5, "usage": 3}
MARKS = {"starting": "<", "warmup": "w", "steady": "=", "drain": "d", "idle": "_", "stalled": "!", "down": "x"}
_NAMES = {"warmup": "warm-up"}


class Drawn(NamedTuple):
    """One line of the plot, and what it shows: speed, usage, phase or axis."""

    text: str
    what: str


def plot(points: Sequence[Point], width: int) -> list[Drawn]:
    """Return the lines of a plot that is at most `width` characters wide."""
    columns, number = min(_WIDEST, width - _LABEL - 1), len(points)
    edges = [number * column // columns for column in range(columns + 1)]
    parts = [points[edge : max(edge + 1, after)] for edge, after in pairwise(edges)]
    speeds = [_mean([point.throughput for point in part]) for part in parts]
    usages = [_mean([point.usage for point in part]) for part in parts]
    phases = [part[-1].phase for part in parts]
    return [
        *(Drawn(line, "speed") for line in _bars("tok/s", speeds, max((s for s in speeds if s), default=1.0))),
        *(Drawn(line, "usage") for line in _bars("usage", usages, 1.0)),
        Drawn(f"{'phase':>{_LABEL}} {''.join(MARKS.get(phase or '', ' ') for phase in phases)}", "phase"),
        Drawn(_axis(points, columns), "axis"),
        Drawn(f"{'':>{_LABEL}} {_legend(phases)}", "axis"),
    ]


def _bars(name: str, values: Sequence[float | None], top: float) -> list[str]:
    height = _HEIGHTS[name]
    labels = [number(top), *[""] * (height - 2), "0"]
    labels[height // 2] = name
    lines = []
    for row, label in enumerate(labels):
        floor = height - 1 - row
        cells = [_EIGHTHS[max(0, min(8, round(8 * ((value or 0.0) / top * height - floor))))] for value in values]
        lines.append(f"{label:>{_LABEL}} {''.join(cells)}")
    return lines


def _axis(points: Sequence[Point], columns: int) -> str:
    first, last = clock(points[0].at), clock(points[-1].at, points[0].at)
    return f"{'UTC':>{_LABEL}} {first}{last:>{max(len(last) + 1, columns - len(first))}}"


def _legend(phases: Sequence[str | None]) -> str:
    return "  ".join(f"{mark} {_NAMES.get(phase, phase)}" for phase, mark in MARKS.items() if phase in phases)


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None
