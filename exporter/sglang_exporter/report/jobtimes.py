"""When a job's records were over, by their own times: counts per bin of time, in bounded memory."""

from collections.abc import Sequence
from itertools import accumulate
from math import floor

from sglang_exporter.outputs.record import Record

_MOST = 4096
COMPLETIONS, TOKENS, UNCOUNTED, FAILED, DONE = range(5)
"""What is counted: completions, their exact tokens, those without a count, failed tokens, what is done of the job."""


class JobTimes:
    """Completions and their tokens in bins of whole seconds, doubled when there are more than 4,096 of them."""

    def __init__(self) -> None:
        self.width = 1
        self._bins: dict[int, list[float]] = {}

    def __bool__(self) -> bool:
        return bool(self._bins)

    def add(self, record: Record, done: float) -> None:
        """Take a record that tells a time, by which so much more of the job is done."""
        if record.timestamp is None:
            return
        counts = self._bins.setdefault(floor(record.timestamp / self.width), [0.0] * 5)
        told = (record.completions, record.output_tokens, record.uncounted, record.failed_output_tokens, done)
        for column, count in enumerate(told):
            counts[column] += count
        while len(self._bins) > _MOST:
            self._double()

    def total(self, column: int, until: float) -> float:
        """Return how much there is of a column until a time, in seconds since the epoch; within a bin evenly."""
        edges = sorted(self._bins)
        sums = [0.0, *accumulate(self._bins[edge][column] for edge in edges)]
        place = until / self.width
        for index, edge in enumerate(edges):
            if place < edge + 1:
                return sums[index] + max(0.0, place - edge) * self._bins[edge][column]
        return sums[-1]

    @property
    def begin(self) -> float:
        """When the first bin begins, in seconds since the epoch."""
        return float(min(self._bins) * self.width)

    @property
    def end(self) -> float:
        """When the last bin ends."""
        return float((max(self._bins) + 1) * self.width)

    def _double(self) -> None:
        bins: dict[int, list[float]] = {}
        for place, counts in self._bins.items():
            into = bins.setdefault(place // 2, [0.0] * 5)
            for column, count in enumerate(counts):
                into[column] += count
        self._bins, self.width = bins, self.width * 2


def together(times: Sequence[JobTimes], column: int, until: float) -> float:
    """Return how much there is of a column until a time in several data sets."""
    return sum(one.total(column, until) for one in times)
