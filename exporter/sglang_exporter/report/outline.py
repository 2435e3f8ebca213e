"""The report as blocks, which text and markdown draw each in their way."""

from collections.abc import Sequence
from typing import NamedTuple

from sglang_exporter.report.findings import Point


class Heading(NamedTuple):
    """A heading; level 1 is an engine or a data set, 2 an epoch, 3 a part of it."""

    text: str
    level: int


class Facts(NamedTuple):
    """Names with what is to be said of them, one line or more each."""

    rows: Sequence[tuple[str, Sequence[str]]]


class Grid(NamedTuple):
    """A table with a header, of `numbers` or of words; the first column is always words."""

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    numbers: bool = True

    @property
    def right(self) -> list[bool]:
        """Which columns stand at the right: those of numbers that have a name."""
        return [self.numbers and index > 0 and bool(name) for index, name in enumerate(self.header)]


class Chart(NamedTuple):
    """Throughput, usage and phase over time."""

    points: Sequence[Point]


class Lines(NamedTuple):
    """Sentences."""

    lines: Sequence[str]


Block = Heading | Facts | Grid | Chart | Lines
