"""Sums and spreads over the fleet: as many lines for 500 servers as for one."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.common import StackingMode, VisibilityMode

from dashboards.fleet import numbers
from dashboards.server import phases
from parts.looks import bare, dashed, fixed
from parts.panels import HALF, Head, Panel, graph
from parts.queries import Query, series

_POINTS = 300
"""Moments that a graph asks for, each about all servers: no more than an eye can tell apart."""


def panels() -> list[Panel]:
    """Return the panels from left to right, top to bottom."""
    return [panel.max_data_points(_POINTS) for panel in (_speed(), _phases(), _requests(), _usage())]


def _speed() -> Panel:
    head = Head(
        301,
        "How fast is the fleet?",
        "Tokens generated per second by all servers; dashed, the sum of each one's best in the last day. Good: near the"
        " dashed line while there is work. From the log: gen throughput (token/s) over 5 minutes.",
        "needs the recording rules",
    )
    queries = [Query(f"sum({numbers.SPEED})", "all servers"), Query(f"sum({numbers.BEST})", "their best of a day")]
    panel = graph(head, "suffix: tok/s", queries, HALF).decimals(0)
    return panel.override_by_query("A", fixed("green")).override_by_query("B", [*fixed("text"), *dashed()])


def _phases() -> Panel:
    head = Head(
        302,
        "How many servers are in each phase?",
        "Each engine of a server counts, where it has several. Good: green. Blue over and over: servers restart."
        " Orange and red: work that does not move, servers that are down. From the log: batch lines, start and"
        " trouble lines, finished requests.",
        "no exporter has read a log yet",
    )
    queries = [Query(_in_phase(phase), phase) for phase in phases.COLOURS]
    panel = (
        graph(head, "short", queries, HALF).decimals(0).fill_opacity(60).line_width(0).show_points(VisibilityMode.NEVER)
    )
    panel.stacking(common.StackingConfig().mode(StackingMode.NORMAL))
    for phase, colour in phases.COLOURS.items():
        panel.override_by_name(phase, fixed(colour))
    return panel


def _requests() -> Panel:
    head = Head(
        303,
        "How many requests run and wait?",
        "Requests on all servers. Good in a batch job: a queue that is never empty. Good for people who wait for"
        " answers: no queue. From the log: #running-req and #queue-req of the batch lines.",
        "needs the recording rules",
    )
    queries = [Query(f"sum({numbers.RUNNING})", "running"), Query(f"sum({numbers.QUEUED})", "queued")]
    panel = graph(head, "short", queries, HALF)
    return panel.override_by_query("A", fixed("green")).override_by_query("B", [*fixed("orange"), *bare()])


def _usage() -> Panel:
    head = Head(
        304,
        "How full are the KV caches?",
        "Of the servers that work: the fullest, the median, the emptiest. Good: close together. Far apart: work is"
        " handed out unevenly. From the log: token usage of the fullest pool on the device.",
        "needs the recording rules",
    )
    quantiles = {"fullest": 1, "median": 0.5, "emptiest": 0}
    queries = [Query(f"quantile({share}, {numbers.USAGE})", name) for name, share in quantiles.items()]
    return graph(head, "percentunit", queries, HALF).max(1).fill_opacity(0)


def _in_phase(phase: str) -> str:
    state = series("sglang_server_phase", f'phase="{phase}"')
    return f"sum({state})"  # a maximum per server first would take ten times as long for 500 of them
