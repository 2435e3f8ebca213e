"""The laps of a run in bounded memory, each with the totals until then: of many, every second one is kept."""

from array import array
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

_MOST = 2048


class Row(NamedTuple):
    """One lap of an engine, all ranks together, and what was counted in its run until then; `at` since the epoch."""

    at: float
    speed: float
    usage: float
    running: float
    queued: float
    used: float
    generated: float
    prefilled: float
    cached: float
    answered: float
    finished: float
    finished_tokens: float
    finished_input: float
    retractions: float
    retracted: float


_NAN = float("nan")


class Rows:
    """Laps in order of time, at most 2,048: of a longer run every second one, every fourth one and so on.

    A speed that no line told is not a number. Totals lose nothing when laps are left out.
    """

    def __init__(self) -> None:
        self._columns: dict[str, array[float]] = {name: array("d") for name in Row._fields}
        self._stride = 1
        self._seen = 0

    def __len__(self) -> int:
        return len(self._columns["at"])

    def add(self, row: Row) -> None:
        """Take a lap; one that is earlier than the lap before is left out."""
        at = self._columns["at"]
        self._seen += 1
        if (self._seen - 1) % self._stride or (at and row.at < at[-1]):
            return
        for column, value in zip(self._columns.values(), row, strict=True):
            column.append(value)
        if len(self) >= _MOST:
            self.thin(_MOST // 2)

    def thin(self, most: int) -> None:
        """Leave out every second lap until there are at most so many."""
        while len(self) > most:
            self._stride *= 2
            for name, column in self._columns.items():
                self._columns[name] = column[::2]

    def column(self, name: str) -> Sequence[float]:
        """Return a column by its name in `Row`."""
        return self._columns[name]

    def between(self, begin: float, end: float) -> "Rows":
        """Return the laps from `begin` to `end`, both included."""
        part = Rows()
        at = self._columns["at"]
        inside = [index for index, time in enumerate(at) if begin <= time <= end]
        for name, column in self._columns.items():
            part._columns[name] = array("d", (column[index] for index in inside))
        return part

    def speeds(self) -> list[float]:
        """Return the speeds that were told."""
        return [speed for speed in self._columns["speed"] if speed == speed]  # noqa: PLR0124 -- it may be no number

    def total(self, name: str, until: float) -> float:
        """Return a total at a time, between two laps in proportion."""
        at, totals = self._columns["at"], self._columns[name]
        if not at or until <= at[0]:
            return totals[0] if at else 0.0
        for index, (before, after) in enumerate(pairwise(at)):
            if until < after:
                return totals[index] + (totals[index + 1] - totals[index]) * (until - before) / (after - before)
        return totals[-1]

    def gain(self, name: str) -> float:
        """Return what was added to a total from the first to the last lap."""
        totals = self._columns[name]
        return totals[-1] - totals[0] if totals else 0.0

    @property
    def begin(self) -> float:
        """When the first lap was over."""
        return self._columns["at"][0] if len(self) else _NAN

    @property
    def end(self) -> float:
        """When the last lap was over."""
        return self._columns["at"][-1] if len(self) else _NAN

    @property
    def seconds(self) -> float:
        """From the first to the last lap."""
        return self.end - self.begin if len(self) else 0.0
