"""The job, as its output files show it."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.common import StackingMode

from parts.looks import bare, dashed, fixed, shades, thin
from parts.panels import THIRD, Head, Panel, graph
from parts.queries import Query, by, rate, series, where_known


def panels() -> list[Panel]:
    """Return the panels from left to right, top to bottom."""
    return [_progress(), _time_left(), _pace(), _tokens(), _lengths(), _reasons()]


def _progress() -> Panel:
    head = Head(
        401,
        "How much is done?",
        "Records in the output files against what the job has. Good: a straight climb to the dashed line. A flat"
        " stretch is a job that stood still. Succeeded below done: some failed. From the output files, each id once;"
        " the dashed line is --total.",
        "no output file read yet",
    )
    queries = [
        Query(_gauge("sglang_job_expected"), "{{dataset}} expected"),
        Query(_gauge("sglang_job_done"), "{{dataset}} done"),
        Query(_gauge("sglang_job_succeeded"), "{{dataset}} succeeded"),
    ]
    panel = graph(head, "short", queries, THIRD)
    panel.override_by_query("A", [*fixed("text"), *dashed()]).override_by_query("B", shades("blue"))
    return panel.override_by_query("C", [*shades("green"), *bare()])


def _time_left() -> Panel:
    head = Head(
        402,
        "How long will it take?",
        "Time until the job is complete at its present rate, between the earliest and the latest that the spread of"
        " recent rates allows. Good: falls as fast as time passes. Rising: the rate falls. The longest answers come"
        " last, so it errs on the early side. From the output files: records left and their rate.",
        "no estimate: no --total, nothing new, or too few records",
    )
    queries = [
        Query(_from_now("sglang_job_eta_high_timestamp_seconds"), "{{dataset}} at the latest"),
        Query(_from_now("sglang_job_eta_timestamp_seconds"), "{{dataset}} left"),
        Query(_from_now("sglang_job_eta_low_timestamp_seconds"), "{{dataset}} at the earliest"),
    ]
    panel = graph(head, "s", queries, THIRD)
    edge = [*shades("light-blue"), *thin()]
    panel.override_by_query("A", edge).override_by_query("C", edge)
    return panel.override_by_query("B", [*shades("blue"), *bare()])


def _pace() -> Panel:
    head = Head(
        403,
        "How fast do answers arrive?",
        "Completions per second over the window chosen above. Good: level. It falls where answers are long and rises"
        " where they are short, so look at their length too. From the output files, by when the bytes arrived.",
        "no window has passed yet",
    )
    pace = _gauge("sglang_job_completions_per_second", 'window="$window"')
    panel = graph(head, "suffix:/s", [Query(pace, "{{dataset}} in $window")], THIRD)
    return panel.override_by_query("A", shades("blue"))


def _tokens() -> Panel:
    head = Head(
        404,
        "What has it read and written?",
        "Tokens of the records that arrive: answers, prompts, and what failed records cost. Good: none failed."
        " Estimated ones stand for completions without a count. From the output files: usage.",
        "no completion in this time",
    )
    queries = [
        Query(_rate("sglang_job_output_tokens_total"), "{{dataset}} answers"),
        Query(_rate("sglang_job_estimated_output_tokens_total"), "{{dataset}} answers, estimated"),
        Query(_rate("sglang_job_input_tokens_total"), "{{dataset}} prompts"),
        Query(f"{_rate('sglang_job_failed_output_tokens_total')} > 0", "{{dataset}} failed"),
    ]
    panel = graph(head, "suffix: tok/s", queries, THIRD)
    panel.override_by_query("A", shades("blue")).override_by_query("B", [*shades("light-blue"), *dashed()])
    return panel.override_by_query("C", shades("purple")).override_by_query("D", shades("red"))


def _lengths() -> Panel:
    head = Head(
        405,
        "How long are the answers?",
        "Tokens of the completions that arrived. Short ones come back first, so it climbs at the start of every job."
        " Good: level after that. From the output files: exact counts only, in buckets that double.",
        "no completion in this time",
    )
    buckets = by("dataset, le", "sum", rate(series("sglang_job_completion_tokens_bucket")))
    total = by("dataset", "sum", rate(series("sglang_job_completion_tokens_sum")))
    count = by("dataset", "sum", rate(series("sglang_job_completion_tokens_count")))
    queries = [
        Query(where_known(f"histogram_quantile(0.99, {buckets})"), "{{dataset}} 99 % below"),
        Query(where_known(f"histogram_quantile(0.5, {buckets})"), "{{dataset}} half below"),
        Query(where_known(f"{total} / {count}"), "{{dataset}} mean"),
    ]
    return graph(head, "suffix: tok", queries, THIRD).decimals(0).fill_opacity(0)


def _reasons() -> Panel:
    head = Head(
        406,
        "Why do answers end?",
        "Share of the completions by finish reason. Good: stop. Much length means that answers are cut off at"
        " max_tokens; abort means that clients gave up. From the output files: finish_reason.",
        "no completion in this time",
    )
    reasons = by("dataset, reason", "sum", rate(series("sglang_job_finish_reasons_total")))
    panel = graph(head, "suffix:/s", [Query(f"{reasons} > 0", "{{dataset}} {{reason}}")], THIRD)
    panel.stacking(common.StackingConfig().mode(StackingMode.PERCENT)).fill_opacity(40).line_width(0)
    for reason, colour in (("stop", "green"), ("length", "orange"), ("abort", "red"), ("error", "dark-red")):
        panel.override_by_regexp(f"/ {reason}$/", fixed(colour))
    return panel


def _gauge(metric: str, *matchers: str) -> str:
    return by("dataset", "sum", series(metric, *matchers))


def _rate(metric: str) -> str:
    return by("dataset", "sum", rate(series(metric)))


def _from_now(metric: str) -> str:
    return f"{by('dataset', 'max', series(metric))} - time()"
