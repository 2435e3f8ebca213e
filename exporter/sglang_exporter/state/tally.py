"""The counts of a job, by name in one flat dictionary, and what one record adds to them."""

from bisect import bisect_left

from sglang_exporter.outputs.errors import REASONS as ERROR_REASONS
from sglang_exporter.outputs.reasons import REASONS as FINISH_REASONS
from sglang_exporter.outputs.record import Record

Counts = dict[str, float]

LENGTH_BOUNDS = tuple(float(1 << power) for power in range(6, 18))
"""Tokens of a completion: 64 to 131,072, doubling."""
LATENCY_BOUNDS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0, 1200.0, 1800.0, 3600.0, 7200.0)
"""Seconds of a request."""

ERRORS = {reason: f"errors.{reason}" for reason in ERROR_REASONS}
FINISHES = {reason: f"finish_reasons.{reason}" for reason in FINISH_REASONS}
LENGTHS = tuple(f"lengths.{index}" for index in range(len(LENGTH_BOUNDS) + 1))
LATENCIES = tuple(f"latencies.{index}" for index in range(len(LATENCY_BOUNDS) + 1))
"""Names of the counts behind labels and histogram buckets; the last bucket is what is over the last bound."""

_NAMES = (
    "records",
    "skipped_records",
    "malformed_lines",
    "duplicates",
    "completions",
    "uncounted",
    "timed",
    "measured",
    "output_tokens",
    "input_tokens",
    "cached_tokens",
    "records_with_cached_tokens",
    "failed_output_tokens",
    "estimated_output_tokens",
    "lengths.sum",
    "latencies.sum",
    *ERRORS.values(),
    *FINISHES.values(),
    *LENGTHS,
    *LATENCIES,
)
_ZEROS: Counts = dict.fromkeys(_NAMES, 0)


def zeros() -> Counts:
    """Return the counts of nothing."""
    return _ZEROS.copy()


def add(counts: Counts, more: Counts) -> None:
    """Add other counts; what is 0 needs no name in the sum."""
    for name, number in more.items():
        if number:
            counts[name] = counts.get(name, 0) + number


def surplus(new: Counts, old: Counts) -> Counts:
    """Return by how much counts are higher than others, where they are."""
    return {name: number - old.get(name, 0) for name, number in new.items() if number > old.get(name, 0)}


def tally(record: Record, counts: Counts, sign: int = 1) -> None:
    """Add what a record counts as, or take it away with the sign -1."""
    if record.malformed or record.skipped:
        counts["malformed_lines" if record.malformed else "skipped_records"] += sign
        return
    counts["records"] += sign * record.number
    counts["timed"] += sign * (record.timestamp is not None)
    counts["completions"] += sign * record.completions
    counts["output_tokens"] += sign * record.output_tokens
    if record.input_tokens:
        counts["input_tokens"] += sign * record.input_tokens
    if record.uncounted:
        counts["uncounted"] += sign * record.uncounted
        counts["measured"] += sign * record.measured
        counts["estimated_output_tokens"] += sign * record.estimated_tokens
    if record.failed_output_tokens:
        counts["failed_output_tokens"] += sign * record.failed_output_tokens
    if record.cached_tokens is not None:
        counts["records_with_cached_tokens"] += sign * record.number
        counts["cached_tokens"] += sign * record.cached_tokens
    for reason, number in record.errors:
        counts[ERRORS[reason]] += sign * number
    for reason in record.finish_reasons:
        counts[FINISHES[reason]] += sign
    length_sum, latency_sum = counts["lengths.sum"], counts["latencies.sum"]
    for length in record.lengths:
        counts[LENGTHS[bisect_left(LENGTH_BOUNDS, length)]] += sign
        length_sum += sign * length
    for latency in record.latencies:
        counts[LATENCIES[bisect_left(LATENCY_BOUNDS, latency)]] += sign
        latency_sum += sign * latency
    counts["lengths.sum"], counts["latencies.sum"] = length_sum, latency_sum


def average_length(counts: Counts) -> tuple[float, float]:
    """Return how many completions have an exact count, and the mean of these counts."""
    number = sum(counts[name] for name in LENGTHS)
    return number, counts["lengths.sum"] / number if number else 0.0


def latency_quantile(counts: Counts, share: float) -> float | None:
    """Return the latency in seconds that a share of the requests stays under, even within buckets; None without any."""
    numbers = [counts[name] for name in LATENCIES]
    wanted = share * sum(numbers)
    if wanted <= 0:
        return None
    below, lower = 0.0, 0.0
    for number, upper in zip(numbers, (*LATENCY_BOUNDS, LATENCY_BOUNDS[-1]), strict=True):
        if number and below + number >= wanted:
            return lower + (upper - lower) * (wanted - below) / number
        below, lower = below + number, upper
    return lower
