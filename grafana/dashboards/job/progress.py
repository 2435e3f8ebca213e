"""How far the job is and how long it will take."""

from dashboards.job import numbers
from parts.looks import bare, dashed, fixed, shades, thin
from parts.panels import HALF, Head, Panel, graph, logarithmic
from parts.queries import Query


def panels() -> list[Panel]:
    """Return the panels from left to right."""
    return [_progress(), _time_left()]


def _progress() -> Panel:
    head = Head(
        201,
        "How much is done?",
        "Records in the output files against what the job has. Good: a straight climb to the dashed line. A flat"
        " stretch is a job that stood still. Succeeded below done: some failed. From the output files, each id once;"
        " the dashed line is --total.",
        "no output file read yet",
    )
    queries = [
        Query(numbers.gauge("expected"), "{{dataset}} expected"),
        Query(numbers.gauge("done"), "{{dataset}} done"),
        Query(numbers.gauge("succeeded"), "{{dataset}} succeeded"),
    ]
    panel = graph(head, "short", queries, HALF)
    panel.override_by_query("A", [*fixed("text"), *dashed()]).override_by_query("B", shades("blue"))
    return panel.override_by_query("C", [*shades("green"), *bare()])


def _time_left() -> Panel:
    head = Head(
        202,
        "How long will it take?",
        "Time until the job is complete at its present rate, between the earliest and the latest that the spread of"
        " recent rates allows, and to the deadline if the config has one (red); the axis doubles from line to line."
        " Good: falls as fast as time passes. Rising: the rate falls. The longest answers come last, so it errs on"
        " the early side. From the output files: records left and their rate.",
        "no estimate: no --total, nothing new, or too few records",
    )
    queries = [
        Query(numbers.from_now("eta_high_timestamp_seconds"), "{{dataset}} at the latest"),
        Query(numbers.from_now("eta_timestamp_seconds"), "{{dataset}} left"),
        Query(numbers.from_now("eta_low_timestamp_seconds"), "{{dataset}} at the earliest"),
        Query(numbers.from_now("deadline_timestamp_seconds"), "{{dataset}} to the deadline"),
    ]
    panel = graph(head, "s", queries, HALF).scale_distribution(logarithmic())
    edge = [*shades("light-blue"), *thin()]
    panel.override_by_query("A", edge).override_by_query("C", edge)
    panel.override_by_query("B", [*shades("blue"), *bare()])
    return panel.override_by_query("D", [*fixed("red"), *dashed()])
