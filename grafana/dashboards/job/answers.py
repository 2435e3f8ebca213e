"""What comes back: how long the answers are, and why they end."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.common import StackingMode

from dashboards.job import numbers
from parts.looks import dashed, fixed, shades
from parts.panels import HALF, Head, Panel, graph, heatmap
from parts.queries import Query, by, rate, series, where_known

COLUMNS = 120
"""Columns of the heatmap: wide enough that each has several answers."""


def panels() -> list[Panel]:
    """Return the panels from left to right, top to bottom."""
    return [_spread(), _lengths(), _reasons(), _tokens()]


def _spread() -> Panel:
    head = Head(
        401,
        "How are the lengths spread?",
        "Answers that arrived by their length in tokens; the stronger the colour, the more. Good: the same picture all"
        " along. Short ones come back first, so it climbs at the start of every job. A line at max_tokens: answers are"
        " cut off. From the output files: exact counts only, in buckets that double.",
        "no completion in this time",
    )
    counts = f"sum by (le) (increase({series('sglang_job_completion_tokens_bucket')}[$__rate_interval]))"
    return heatmap(head, "suffix: tok", Query(counts, "{{le}}"), HALF).max_data_points(COLUMNS)


def _lengths() -> Panel:
    head = Head(
        402,
        "How long are the answers?",
        "Tokens of the completions that arrived: mean, median, and what one in a hundred exceeds. Good: level after the"
        " start. From the output files: exact counts only; median and the longest are read off buckets that double.",
        "no completion in this time",
    )
    buckets = by("dataset, le", "sum", rate(series("sglang_job_completion_tokens_bucket")))
    total, count = numbers.gained("completion_tokens_sum"), numbers.gained("completion_tokens_count")
    queries = [
        Query(where_known(f"histogram_quantile(0.99, {buckets})"), "{{dataset}} 99 % below"),
        Query(where_known(f"histogram_quantile(0.5, {buckets})"), "{{dataset}} half below"),
        Query(where_known(f"{total} / {count}"), "{{dataset}} mean"),
    ]
    return graph(head, "suffix: tok", queries, HALF).decimals(0).fill_opacity(0)


def _reasons() -> Panel:
    head = Head(
        403,
        "Why do answers end?",
        "Share of the completions by finish reason. Good: stop. Much length means that answers are cut off at"
        " max_tokens; abort means that clients gave up. From the output files: finish_reason.",
        "no completion in this time",
    )
    reasons = by("dataset, reason", "sum", rate(series("sglang_job_finish_reasons_total")))
    panel = graph(head, "suffix:/s", [Query(f"{reasons} > 0", "{{dataset}} {{reason}}")], HALF)
    panel.stacking(common.StackingConfig().mode(StackingMode.PERCENT)).fill_opacity(40).line_width(0)
    for reason, colour in (("stop", "green"), ("length", "orange"), ("abort", "red"), ("error", "dark-red")):
        panel.override_by_regexp(f"/ {reason}$/", fixed(colour))
    return panel


def _tokens() -> Panel:
    head = Head(
        404,
        "What has it read and written?",
        "Tokens of the records that arrive: answers, prompts, and what failed records cost. Good: none failed."
        " Estimated ones stand for completions without a count. From the output files: usage.",
        "no completion in this time",
    )
    queries = [
        Query(numbers.gained("output_tokens_total"), "{{dataset}} answers"),
        Query(numbers.gained("estimated_output_tokens_total"), "{{dataset}} answers, estimated"),
        Query(numbers.gained("input_tokens_total"), "{{dataset}} prompts"),
        Query(f"{numbers.gained('failed_output_tokens_total')} > 0", "{{dataset}} failed"),
    ]
    panel = graph(head, "suffix: tok/s", queries, HALF)
    panel.override_by_query("A", shades("blue")).override_by_query("B", [*shades("light-blue"), *dashed()])
    return panel.override_by_query("C", shades("purple")).override_by_query("D", shades("red"))
