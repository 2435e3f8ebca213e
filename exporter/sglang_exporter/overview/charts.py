"""A figure with its last hour as a small chart, drawn as SVG; what was not there is a gap."""

from collections.abc import Callable
from typing import NamedTuple

from sglang_exporter.metrics.recent import Series
from sglang_exporter.overview.curve import HEIGHT, Reach, Scale, across, curve, known
from sglang_exporter.overview.html import Markup, tag
from sglang_exporter.overview.samples import Reading

_ROOM = 3
"""Above and below the curve, for it is as thick as a line."""

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


def data(reading: Reading | None, say: Callable[[float], str]) -> Markup:
    """Return a number of /metrics in words, with its exact value and where it is from for whoever looks closer."""
    if reading is None:
        return NONE
    return tag("data", say(reading.value), value=float(reading.value), title=reading.origin)


def figure(chart: Chart, back: Reach) -> Markup:
    """Return the chart with its present value, and its range in words."""
    values = known(chart.hour or ())
    lowest, highest = min(values, default=0.0), max(values, default=0.0)
    spread = f"{chart.say(lowest)} to {chart.say(highest)}" if values else "no value"
    title = chart.title if chart.line is None else f"{chart.title} (line: {chart.say(chart.line)})"
    scale = Scale(lowest if chart.afloat else 0.0, max(chart.full, highest))
    now = tag("p", data(chart.now, chart.say), f" {chart.unit}" if chart.unit else None, class_="now")
    return tag(
        "figure",
        tag("figcaption", title),
        now if chart.now else tag("p", "no value now", class_="now none"),
        tag(
            "svg",
            None if chart.line is None else tag("path", class_="line", d=across(chart.line, scale, back)),
            None if chart.hour is None else tag("path", d=curve(chart.hour, scale, back)),
            role="img",
            aria_label=f"{title} in the last {back.minutes} minutes: {spread} {chart.unit}".rstrip(),
            viewBox=f"0 {-_ROOM} {back.width} {HEIGHT + 2 * _ROOM}",
            preserveAspectRatio="none",
        ),
        tag("p", spread, class_="range", aria_hidden="true"),
    )
