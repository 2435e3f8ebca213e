"""Whether requests leave an engine without others taking their place: a cumulative sum (Page, Biometrika 1954)."""

from dataclasses import dataclass, field

from sglang_exporter.state.laps import Lap
from sglang_exporter.state.rhythm import Rhythm

_SURE = 16.0
_FEW = 3.0
_SHARE = 0.5
_LAPS = 3


@dataclass(slots=True)
class Fall:
    """By how much the number of running requests fell while the queue was empty, each that joins taken off twice.

    While as many join as leave, the sum goes back to 0 all the time; it was 0 for the last time when the fall began.
    A sum of 16 for three laps is a fall: by chance, where a request joins as likely as one leaves, it comes once in
    thousands. Where fewer run than that, half of them must have left and nothing joined for longer than the rhythm of
    joins allows. Where no line tells of joins, 16 and half of them must have left.
    """

    total: float = 0.0
    began: float | None = None
    before: float = 0.0
    """How many ran when it began."""
    last: float = 0.0
    """How many ran at the last lap."""
    laps: int = 0
    """For how many laps the sum is 16 or more."""
    joins: Rhythm = field(default_factory=Rhythm)
    sure: bool = False

    def lap(self, lap: Lap) -> None:
        """Take a lap."""
        if lap.joined:
            self.joins.beat(lap.at)
        total = self.total + self.last - lap.running - lap.joined
        self.last = lap.running
        if lap.queued or total <= 0 or self.began is None:
            self.total, self.began, self.before, self.laps, self.sure = 0.0, lap.at, lap.running, 0, False
            return
        self.total = min(total, 2 * _SURE)
        self.laps = self.laps + 1 if self.total >= _SURE else 0
        much = self.laps >= _LAPS
        if self.joins.last is None:
            self.sure |= much and lap.running <= _SHARE * self.before
        else:
            self.sure |= much or (self.likely and self.joins.silent(lap.at, None))

    @property
    def likely(self) -> bool:
        """Whether it is a fall if nothing comes after it: half of the requests left, and three at least."""
        return self.total >= _FEW and self.total >= _SHARE * min(self.before, 2 * _SURE)
