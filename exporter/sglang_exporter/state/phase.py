"""What a working engine is doing: warming up, steady, or draining. The rule is told in docs/metrics.md, "Phases"."""

from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from sglang_exporter.state.fall import Fall
from sglang_exporter.state.laps import Lap, Laps
from sglang_exporter.state.transient import Transient

Phase = Literal["starting", "warmup", "steady", "drain", "idle", "stalled", "down"]

_MOST_TURNOVERS = 3.0
_MOST_BATCHES = 40


class Turn(NamedTuple):
    """A phase, and since when it holds, in seconds since the epoch: known later than it began."""

    phase: Phase
    since: float


@dataclass(slots=True)
class Spell:
    """A stretch of work: from the first batch line after a start or a silence to the next silence.

    It warms up until its first burst has worked through, which is when as many requests have left as ran at most, and
    until speed and token usage have no transient any more by MSER-5; after three such bursts it is warm in any case.
    A request that runs alone is no burst.
    """

    midway: bool = False
    """Whether the log begins in it: then its burst is over, as far as anybody can tell."""
    began: float | None = None
    """When its first batch line was said, in seconds since the epoch, as all times here."""
    warm: float | None = None
    """Since when it is warm; None as long as it is not."""
    turned_over: float | None = None
    """When the first burst had worked through."""
    burst: float = 0.0
    joined: float = 0.0
    retracted: float = 0.0
    answered: float | None = None
    last: float = 0.0
    lap: Lap | None = None
    """The last lap that is over."""
    laps: Laps = field(default_factory=Laps)
    transient: Transient = field(default_factory=Transient)
    fall: Fall = field(default_factory=Fall)

    def fold(self, kind: str, rank: str, said: Lap) -> None:
        """Take a batch line of a kind and a data-parallel rank."""
        if self.began is None:
            self.began = said.at
            self.warm = said.at if self.midway else None
        self.last = said.at
        if kind == "prefill":
            self.joined += said.joined
            lap = self.laps.prefill(rank, said)
            if self.warm is None:
                self.burst = max(self.burst, self.laps.running)
        else:
            lap = self.laps.decode(rank, said)
        if lap:
            self.lap = lap
            self.fall.lap(lap)
            if self.warm is None:
                self._warm_up(lap)

    def retract(self, requests: float) -> None:
        """Take requests that were sent back to the queue and will join again."""
        self.retracted += requests

    def answer(self) -> None:
        """Take an answered request."""
        self.answered = (self.answered or 0.0) + 1

    @property
    def turn(self) -> Turn | None:
        """What the engine is doing while it is not silent, and since when; None before any batch line."""
        if self.began is None:
            return None
        if self.fall.sure and self.fall.began is not None:
            return Turn("drain", self.fall.began)
        if self.warm is not None:
            return Turn("steady", self.warm)
        alone = self.burst <= 1 and self.laps.decodes and self.fall.began is not None
        return Turn("steady" if alone else "warmup", self.began)

    @property
    def tail(self) -> Turn | None:
        """The drain that the spell ended with, if nothing comes after it and it was not told as its turn."""
        fall = self.fall
        return Turn("drain", fall.began) if fall.began is not None and fall.likely and not fall.sure else None

    def _warm_up(self, lap: Lap) -> None:
        """Judge, whenever there is a batch of laps more, whether the spell is warm."""
        if not self.laps.decodes:  # it only prefills, so that no line tells of a transient
            if (self.answered or 0.0) >= _MOST_TURNOVERS * max(self.burst, 1.0):
                self.warm = lap.at
            return
        self.burst = max(self.burst, lap.running)
        turnovers = self._left() / max(self.burst, 1.0)
        if turnovers >= 1 and self.turned_over is None:
            self.turned_over = lap.at
        new = lap.speed is not None and self.transient.add(lap)
        if self.joined:
            late, through = turnovers >= _MOST_TURNOVERS, self.turned_over is not None
        else:  # nothing tells who joined
            late, through = self.transient.number >= _MOST_BATCHES, True
        settled = self.transient.end() if new and through else None
        if settled is not None:
            self.warm = max(settled, self.turned_over or settled)
        elif late:
            self.warm = self.turned_over or lap.at
        if self.warm is not None:
            self.transient = Transient()

    def _left(self) -> float:
        """Return how many requests have left, by who joined and, where the log tells of answers, by them as well.

        A long prompt joins once a chunk, and a streamed answer is told of when it begins: the fewer count.
        """
        left = self.joined - self.retracted - self.laps.running
        return left if self.answered is None else min(left, self.answered)
