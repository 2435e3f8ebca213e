"""What goes wrong: HTTP codes, the server's incidents, the job's errors."""

from grafana_foundation_sdk.builders import common, timeseries
from grafana_foundation_sdk.models.common import GraphDrawStyle, StackingMode

from parts.looks import shades
from parts.panels import THIRD, Head, Panel, graph
from parts.queries import Query, beside_servers, by, per_minute, rate, series


def panels() -> list[Panel]:
    """Return the panels from left to right."""
    return [_http(), _incidents(), _job_errors()]


def _http() -> Panel:
    head = Head(
        501,
        "How does it answer clients?",
        "POST requests by HTTP code. Good: 200 alone. 4xx: clients ask for what cannot be served. 5xx: the server"
        " fails. From the log: access lines.",
        "no POST in this time, or access lines are switched off",
    )
    codes = by("server, code", "sum", rate(series("sglang_server_http_requests_total", 'method="POST"')))
    panel = _bars(head, "suffix:/s", Query(codes, "{{server}} {{code}}"))
    panel.override_by_regexp("/ 2..$/", shades("green")).override_by_regexp("/ 4..$/", shades("orange"))
    return panel.override_by_regexp("/ 5..$/", shades("red"))


def _incidents() -> Panel:
    head = Head(
        502,
        "Which incidents does its log report?",
        "Incidents per minute by kind; one is one, though many ranks print it. Good: none. From the log: exceptions,"
        " out of memory, watchdog, NCCL, NaN, health check and signal lines.",
        "none",
    )
    kinds = by("server, kind", "sum", per_minute(series("sglang_server_errors_total")))
    panel = _bars(head, "suffix:/min", Query(f"{kinds} > 0", "{{server}} {{kind}}"))
    return panel.override_by_query("A", shades("red"))


def _job_errors() -> Panel:
    head = Head(
        503,
        "Which requests of the job fail?",
        "Failed records per minute by reason. Good: none. A burst at a restart is what the restart cost."
        " From the output files: records that say error, or carry no answer.",
        "none",
    )
    reasons = by("dataset, reason", "sum", beside_servers(per_minute(series("sglang_job_errors_total"))))
    panel = _bars(head, "suffix:/min", Query(f"{reasons} > 0", "{{dataset}} {{reason}}"))
    return panel.override_by_query("A", shades("red"))


def _bars(head: Head, unit: str, query: Query) -> timeseries.Panel:
    panel = graph(head, unit, [query], THIRD)
    panel.draw_style(GraphDrawStyle.BARS).fill_opacity(70).line_width(0)
    return panel.stacking(common.StackingConfig().mode(StackingMode.NORMAL))
