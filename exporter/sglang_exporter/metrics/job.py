"""Data sets to samples."""

from sglang_exporter.config import deadline_seconds
from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import ERRORS, FINISHES, LATENCIES, LATENCY_BOUNDS, LENGTH_BOUNDS, LENGTHS, Counts

_PREFIX = "sglang_job_"
_COUNTERS = (
    "completions",
    "records",
    "skipped_records",
    "malformed_lines",
    "duplicates",
    "output_tokens",
    "input_tokens",
    "failed_output_tokens",
)


def export_job(page: Page, labels: Labels, state: JobState, now: float) -> None:
    """Add the samples of one data set, as of now; series that cannot apply to it are left out."""
    totals = state.totals()
    estimates = state.config.tokens.estimates or totals["estimated_output_tokens"] > 0
    _export_counts(page, labels, totals, estimates=estimates)
    _export_rates(page, labels, state, now, estimates=estimates)
    _export_progress(page, labels, state, now)


def _export_counts(page: Page, labels: Labels, counts: Counts, *, estimates: bool) -> None:
    for name in _COUNTERS:
        page.add(f"{_PREFIX}{name}_total", labels, counts[name])
    if counts["records_with_cached_tokens"]:
        page.add(f"{_PREFIX}cached_tokens_total", labels, counts["cached_tokens"])
    if estimates:
        page.add(f"{_PREFIX}estimated_output_tokens_total", labels, counts["estimated_output_tokens"])
    for reason, name in ERRORS.items():
        page.add(f"{_PREFIX}errors_total", labels, counts[name], reason=reason)
    for reason, name in FINISHES.items():
        page.add(f"{_PREFIX}finish_reasons_total", labels, counts[name], reason=reason)
    lengths = [int(counts[name]) for name in LENGTHS]
    page.add_histogram(f"{_PREFIX}completion_tokens", labels, LENGTH_BOUNDS, lengths, counts["lengths.sum"])
    if any(latencies := [int(counts[name]) for name in LATENCIES]):
        page.add_histogram(
            f"{_PREFIX}request_latency_seconds", labels, LATENCY_BOUNDS, latencies, counts["latencies.sum"]
        )


def _export_rates(page: Page, labels: Labels, state: JobState, now: float, *, estimates: bool) -> None:
    for window, rates in state.rates(now).items():
        windowed = labels.within(window=window)
        page.add(f"{_PREFIX}completions_per_second", windowed, rates.completions)
        page.add(f"{_PREFIX}output_tokens_per_second", windowed, rates.output_tokens)
        if estimates:
            page.add(f"{_PREFIX}estimated_output_tokens_per_second", windowed, rates.estimated_tokens)


def _export_progress(page: Page, labels: Labels, state: JobState, now: float) -> None:
    page.add(f"{_PREFIX}rewrites_total", labels, state.rewrites)
    page.add(f"{_PREFIX}restarts_total", labels, state.restarts)
    page.add(f"{_PREFIX}done", labels, state.done)
    page.add(f"{_PREFIX}succeeded", labels, state.succeeded)
    if state.expected is not None:
        page.add(f"{_PREFIX}expected", labels, state.expected)
        page.add(f"{_PREFIX}excess", labels, state.excess)
    if state.config.deadline is not None:
        page.add(f"{_PREFIX}deadline_timestamp_seconds", labels, deadline_seconds(state.config.deadline))
    if state.last_completion is not None:
        page.add(f"{_PREFIX}last_completion_timestamp_seconds", labels, state.last_completion)
    if eta := state.eta(now):
        page.add(f"{_PREFIX}eta_timestamp_seconds", labels, eta.best)
        page.add(f"{_PREFIX}eta_low_timestamp_seconds", labels, eta.low)
        page.add(f"{_PREFIX}eta_high_timestamp_seconds", labels, eta.high)
