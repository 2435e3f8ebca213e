"""Tokens of completions without a count, by an average: a given one, or the mean of those that have a count."""

from typing import Literal

from msgspec import Struct

from sglang_exporter.state.tally import Counts, average_length

_ENOUGH_COUNTS = 50

Average = float | Literal["auto"] | None


class Estimates(Struct):
    """Completions that wait for an average; below 0 when counts came later for estimated ones."""

    waiting: float = 0

    def count(self, uncounted: float, average: Average, counts: Counts) -> float:
        """Count estimated tokens of completions without a count, and of those that waited; return the former."""
        known = mean_of(average, counts)
        self.waiting += uncounted
        if known is None or self.waiting <= 0:
            return 0.0
        estimated, self.waiting = self.waiting * known, 0
        counts["estimated_output_tokens"] += estimated
        return min(estimated, max(0.0, uncounted) * known)


def mean_of(average: Average, counts: Counts) -> float | None:
    """Return the average to estimate by; None while there are too few counts to take it from."""
    if average != "auto":
        return average
    number, mean = average_length(counts)
    return mean if number >= _ENOUGH_COUNTS else None
