"""What holds the job up: failures, stragglers, lines that are no records."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.common import GraphDrawStyle, StackingMode

from dashboards.job import numbers
from parts.looks import shades
from parts.panels import THIRD, Head, Panel, graph, steps
from parts.queries import Query, by, per_minute, rate, series, where_known


def panels() -> list[Panel]:
    """Return the panels from left to right."""
    return [_errors(), _stragglers(), _odd()]


def _errors() -> Panel:
    head = Head(
        501,
        "Which requests fail?",
        "Failed records per minute by reason. Good: none. A burst at a restart is what the restart cost."
        " From the output files: records that say error, or carry no answer.",
        "none",
    )
    reasons = by("dataset, reason", "sum", per_minute(series("sglang_job_errors_total")))
    panel = graph(head, "suffix:/min", [Query(f"{reasons} > 0", "{{dataset}} {{reason}}")], THIRD)
    panel.draw_style(GraphDrawStyle.BARS).fill_opacity(70).line_width(0)
    panel.stacking(common.StackingConfig().mode(StackingMode.NORMAL))
    return panel.override_by_query("A", shades("red"))


def _stragglers() -> Panel:
    head = Head(
        502,
        "How long do stragglers take?",
        "Time that requests took: half of them, and the slowest one in a hundred; and the time since the last answer."
        " Good: level, and the time since the last answer far below both. The job ends the slowest one's time after its"
        " last request was sent. From the output files: the latency in the records, and when their bytes arrived.",
        "the records say no latency, and none arrived",
    )
    buckets = by("dataset, le", "sum", rate(series("sglang_job_request_latency_seconds_bucket")))
    queries = [
        Query(where_known(f"histogram_quantile(0.99, {buckets})"), "{{dataset}} 99 % below"),
        Query(where_known(f"histogram_quantile(0.5, {buckets})"), "{{dataset}} half below"),
        Query(f"time() - {numbers.gauge('last_completion_timestamp_seconds')}", "{{dataset}} since the last"),
    ]
    panel = graph(head, "s", queries, THIRD).fill_opacity(0)
    panel.override_by_query("A", shades("orange")).override_by_query("B", shades("blue"))
    return panel.override_by_query("C", shades("text"))


def _odd() -> Panel:
    head = Head(
        503,
        "What is no new answer?",
        "Lines per minute that no reader could make sense of, and records whose id was there before. Good: none, or"
        " repeats after the job was started again. Bad: unreadable lines; two writers share the file, or its format"
        " changed. From the output files: their lines, and explicit ids.",
        "no output file read yet",
    )
    malformed = by("dataset", "sum", per_minute(series("sglang_job_malformed_lines_total")))
    repeated = by("dataset", "sum", per_minute(series("sglang_job_duplicates_total")))
    queries = [Query(malformed, "{{dataset}} unreadable"), Query(repeated, "{{dataset}} repeated")]
    panel = graph(head, "suffix:/min", queries, THIRD).thresholds(steps("transparent", (1, "orange")))
    return panel.override_by_query("A", shades("red")).override_by_query("B", shades("text"))
