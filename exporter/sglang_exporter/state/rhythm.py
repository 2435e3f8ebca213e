"""How often a scheduler prints, and so when its silence means something."""

from dataclasses import dataclass, field

_GAPS = 30
SHORTEST_SILENCE = 30.0
_PERCENTILE = 0.9
_TOLERANCE = 4.0


@dataclass(slots=True)
class Rhythm:
    """The times of one kind of line: when the last one came, in seconds since the epoch, and the gaps before it."""

    last: float | None = None
    gaps: list[float] = field(default_factory=list)

    def beat(self, at: float) -> None:
        """Note a line; a gap that was silence is no part of the rhythm."""
        last, self.last = self.last, at
        if last is None:
            return
        gap = at - last
        if 0 <= gap <= SHORTEST_SILENCE or 0 <= gap <= self.patience():
            gaps = self.gaps
            gaps.append(gap)
            if len(gaps) > _GAPS:
                del gaps[0]

    def patience(self) -> float:
        """Return the seconds after which a silence is one: 4 times the 90th percentile of the gaps, 30 s at least."""
        if not self.gaps:
            return SHORTEST_SILENCE
        ordered = sorted(self.gaps)
        return max(SHORTEST_SILENCE, _TOLERANCE * ordered[min(len(ordered) - 1, int(len(ordered) * _PERCENTILE))])

    def silent(self, now: float, stale_after: float | None) -> bool:
        """Tell whether nothing came for too long; `stale_after` None takes the rhythm's own patience, 0 is never.

        A line from the future was said before the clock was set back, nobody knows how long ago.
        """
        if self.last is None:
            return True
        if stale_after == 0:
            return False
        gap = abs(now - self.last)
        if stale_after is not None:
            return gap > stale_after
        return gap > SHORTEST_SILENCE and gap > self.patience()
