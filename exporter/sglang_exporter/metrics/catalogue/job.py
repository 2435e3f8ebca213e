"""The metrics of `sglang_job_*`: what the output files prove."""

from sglang_exporter.metrics.row import Row, Type

_JOB = ("dataset",)
_WINDOW = ("dataset", "window")
_WINDOW_HELP = (
    "over the window, from when the bytes arrived. Absent until one window has passed since the start, unless the"
    " records' own timestamps tell of the time before; history is no rate."
)


def _row(name: str, kind: Type, text: str, labels: tuple[str, ...] = _JOB, source: str = "output files") -> Row:
    return Row(f"sglang_job_{name}", kind, text, labels, source)


JOB: tuple[Row, ...] = (
    _row(
        "completions_total", "counter", "Completions in the output files; a record is 0, 1 or n, an error record is 0."
    ),
    _row("records_total", "counter", "Records in the output files, repeated ids again: the GPU did the work."),
    _row("skipped_records_total", "counter", "Records that are no request: warm-up, summary, control."),
    _row(
        "errors_total",
        "counter",
        "Requests that failed, by reason from a closed list.",
        ("dataset", "reason"),
    ),
    _row("malformed_lines_total", "counter", "Lines of the output files that no reader could make sense of."),
    _row("duplicates_total", "counter", "Records whose explicit id was seen before."),
    _row(
        "output_tokens_total",
        "counter",
        "Generated tokens, exact counts only; completions without a count are in"
        " sglang_job_estimated_output_tokens_total.",
    ),
    _row("input_tokens_total", "counter", "Prompt tokens, exact counts only."),
    _row("cached_tokens_total", "counter", "Prompt tokens taken from the server's prefix cache, where records say so."),
    _row("failed_output_tokens_total", "counter", "Generated tokens of records that failed, exact counts only."),
    _row(
        "estimated_output_tokens_total",
        "counter",
        "Generated tokens of completions without a count, estimated from their texts or from an average, as configured;"
        " never mixed with exact ones.",
    ),
    _row("completion_tokens", "histogram", "Length of completions in tokens, exact counts only."),
    _row("request_latency_seconds", "histogram", "Time a request took as its record says, in seconds."),
    _row(
        "finish_reasons_total",
        "counter",
        "Completions by why they ended.",
        ("dataset", "reason"),
    ),
    _row("completions_per_second", "gauge", f"Completions per second {_WINDOW_HELP}", _WINDOW),
    _row("output_tokens_per_second", "gauge", f"Generated tokens per second, exact counts, {_WINDOW_HELP}", _WINDOW),
    _row(
        "estimated_output_tokens_per_second",
        "gauge",
        f"Generated tokens per second, estimated from texts or from an average, {_WINDOW_HELP}",
        _WINDOW,
    ),
    _row(
        "rewrites_total",
        "counter",
        "Output files written anew with at least half of their records still in them, as sorted or completed: only what"
        " is new counts.",
    ),
    _row(
        "restarts_total",
        "counter",
        "Output files written anew by a run that was started over: all of it counts, and what is done begins again.",
    ),
    _row(
        "expected", "gauge", "Records (or completions, as configured) that the whole job has. Absent without a total."
    ),
    _row("done", "gauge", "Records done, failed and skipped ones too, each id once; never more than expected."),
    _row("succeeded", "gauge", "Records done whose last line is a success, each id once."),
    _row("excess", "gauge", "Records done beyond what was expected. Absent without a total."),
    _row(
        "eta_timestamp_seconds",
        "gauge",
        "When the job will be done at its present rate, in seconds since the epoch; the longest answers come last."
        " Absent when it would be a guess: no total, nothing new, too few records.",
    ),
    _row(
        "eta_low_timestamp_seconds",
        "gauge",
        "When the job will be done at the earliest, by the spread of recent rates.",
    ),
    _row(
        "eta_high_timestamp_seconds", "gauge", "When the job will be done at the latest, by the spread of recent rates."
    ),
    _row(
        "deadline_timestamp_seconds",
        "gauge",
        "When the job should be done, from the configuration, in seconds since the epoch. Absent without a deadline.",
        source="configuration",
    ),
    _row("last_completion_timestamp_seconds", "gauge", "When the last completion arrived, in seconds since the epoch."),
)
