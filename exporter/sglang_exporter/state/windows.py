"""What arrived within a span of time before now: the derived rates."""

from collections.abc import Iterable
from math import inf
from typing import NamedTuple

from msgspec import Struct

from sglang_exporter.config import window_seconds

_MOST_MARKS = 240


class Amount(NamedTuple):
    """Completions and their tokens: exact counts, and estimates of those without one."""

    completions: float = 0
    output_tokens: float = 0
    estimated_tokens: float = 0

    def plus(self, other: "Amount") -> "Amount":
        """Return the sum."""
        return Amount(*(mine + yours for mine, yours in zip(self, other, strict=True)))


class Window(Struct):
    """A window of so many seconds. What arrives within a 240th of it is kept as one, with the time of the first.

    All that arrived since `since` is known.
    """

    span: float
    marks: list[tuple[float, Amount]] = []
    since: float = inf

    def begin(self, since: float) -> None:
        """Know nothing of what arrived before."""
        self.marks.clear()
        self.since = since

    def add(self, at: float, amount: Amount) -> None:
        """Take in what arrived at a time; what has left the window is dropped."""
        if self.marks and 0 <= at - self.marks[-1][0] < self.span / _MOST_MARKS:
            time, before = self.marks[-1]
            self.marks[-1] = (time, before.plus(amount))
            return
        gone = next((i for i, (time, _) in enumerate(self.marks) if time > at - self.span), len(self.marks))
        del self.marks[:gone]
        self.marks.append((at, amount))

    def passed(self, now: float) -> bool:
        """Tell whether all that arrived in (now - span, now] is known."""
        return now - self.since >= self.span

    def rates(self, now: float) -> Amount:
        """Return what arrived in (now - span, now] per second."""
        within = [amount for time, amount in self.marks if now - self.span < time <= now]
        totals = map(sum, zip(*within, strict=True)) if within else Amount()
        return Amount(*(max(0.0, total) / self.span for total in totals))  # below 0 when what left it was withdrawn


def windows(texts: Iterable[str]) -> dict[str, Window]:
    """Return a window for each text."""
    return {text: Window(window_seconds(text)) for text in texts}
