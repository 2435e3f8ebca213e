"""The clock stepped along the times at which lines were written: what a scrape at each step would have found."""

from collections.abc import Iterator
from heapq import heapify, heappop, heappush
from math import ceil

from sglang_exporter.backfill.paced import PacedStream
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.chunk import NOTHING
from sglang_exporter.pipeline import Pipeline
from sglang_exporter.sources.source import Source

_LONGEST_SILENCE = 7 * 86400.0
"""Seconds without any line after which nobody would have gone on scraping; a clock may have stood at 1970 as well."""


class Playing:
    """Sources that read from paced streams, played from the first line to the last under the clock they were given."""

    def __init__(self, pipeline: Pipeline, clock: FixedClock) -> None:
        self._pipeline = pipeline
        self._clock = clock
        self._due: list[tuple[float, int, Source, PacedStream]] = []
        for number, source in enumerate(pipeline.sources):
            if isinstance(source.stream, PacedStream):
                self._wait_for(number, source, source.stream)
        heapify(self._due)

    @property
    def begins(self) -> float | None:
        """When the first line was written, in seconds since the epoch."""
        return self._due[0][0] if self._due else None

    def steps(self, step: float) -> Iterator[float]:
        """Yield each multiple of `step` seconds, with all folded that was written until then, and nothing later.

        The last one is the first after the last line.
        """
        if self.begins is None:
            return
        self._begin(self.begins)
        number = ceil(self.begins / step)
        while self._due:
            due, silent_since = self._due[0][0], self._clock.time
            while (at := number * step) < due:
                number += 1
                if at - silent_since <= _LONGEST_SILENCE:
                    yield self._show(at)
                else:
                    number = max(number, ceil(due / step))
            self._take(due)
        self._pipeline.finish()
        yield self._show(number * step)

    def _begin(self, at: float) -> None:
        self._clock.time = at
        for source in self._pipeline.sources:
            while not source.recalled:
                source.recall()
            source.take(NOTHING)  # the first look at files that are there and empty
        self._pipeline.refresh()

    def _show(self, at: float) -> float:
        self._clock.time = at
        self._pipeline.refresh()
        return at

    def _take(self, due: float) -> None:
        _, number, source, stream = heappop(self._due)
        self._clock.time = max(self._clock.time, due)
        source.take(stream.read())
        self._wait_for(number, source, stream)

    def _wait_for(self, number: int, source: Source, stream: PacedStream) -> None:
        if stream.due is not None:
            heappush(self._due, (stream.due, number, source, stream))
