"""How long answers are: counts in buckets a hundredth wide, so that percentiles are right to a hundredth."""

from math import exp, log, log1p

from sglang_exporter.outputs.record import Record

_WIDTH = log1p(0.01)


class Lengths:
    """Answers by the logarithm of their tokens."""

    def __init__(self) -> None:
        self._counts: dict[int, int] = {}

    def add(self, record: Record) -> None:
        """Take a record, or take it back if it was withdrawn; an answer of no token counts as one of one."""
        for length in record.lengths:
            bucket = round(log(max(length, 1.0)) / _WIDTH)
            self._counts[bucket] = self._counts.get(bucket, 0) + (-1 if record.withdrawn else 1)

    def percentile(self, share: float) -> float | None:
        """Return the tokens that a share of answers has at most; None without any."""
        wanted, seen = share * sum(self._counts.values()), 0
        for bucket in sorted(self._counts):
            seen += self._counts[bucket]
            if seen and seen >= wanted:
                return exp(bucket * _WIDTH)
        return None
