"""The phases that a run went through, in bounded memory."""

from typing import NamedTuple

from sglang_exporter.state.phase import Phase, Turn

_MOST = 256


class Stretch(NamedTuple):
    """A phase from `begin` to `end`, in seconds since the epoch."""

    phase: Phase
    begin: float
    end: float

    @property
    def seconds(self) -> float:
        """How long it was."""
        return max(0.0, self.end - self.begin)


class Turns:
    """Phases in the order in which they began. One is known later than it began, and takes back what was told since."""

    def __init__(self) -> None:
        self._turns: list[Turn] = []
        self._over: dict[Phase, float] = {}
        self._longest: dict[Phase, Stretch] = {}

    @property
    def now(self) -> Turn | None:
        """The last one."""
        return self._turns[-1] if self._turns else None

    def add(self, turn: Turn) -> None:
        """Take a phase that holds since a time."""
        if self.now == turn:
            return
        while self._turns and self._turns[-1].since >= turn.since:
            self._turns.pop()
        if not self._turns or self._turns[-1].phase != turn.phase:
            self._turns.append(turn)
        if len(self._turns) > _MOST:
            self._close(Stretch(self._turns[0].phase, self._turns[0].since, self._turns[1].since))
            del self._turns[0]

    def seconds(self, until: float) -> dict[Phase, float]:
        """Return how long each phase lasted in all."""
        seconds = dict(self._over)
        for stretch in self._stretches(until):
            seconds[stretch.phase] = seconds.get(stretch.phase, 0.0) + stretch.seconds
        return seconds

    def longest(self, phase: Phase, until: float) -> Stretch | None:
        """Return the longest stretch of a phase."""
        known = [self._longest[phase]] if phase in self._longest else []
        found = [*known, *(stretch for stretch in self._stretches(until) if stretch.phase == phase)]
        return max(found, key=lambda stretch: stretch.seconds, default=None)

    def at(self, time: float) -> Phase | None:
        """Return the phase at a time, None before the first that is remembered."""
        return next((turn.phase for turn in reversed(self._turns) if turn.since <= time), None)

    def _stretches(self, until: float) -> list[Stretch]:
        ends = [*(turn.since for turn in self._turns[1:]), until][: len(self._turns)]
        return [Stretch(turn.phase, turn.since, end) for turn, end in zip(self._turns, ends, strict=True)]

    def _close(self, stretch: Stretch) -> None:
        self._over[stretch.phase] = self._over.get(stretch.phase, 0.0) + stretch.seconds
        before = self._longest.get(stretch.phase)
        if before is None or stretch.seconds > before.seconds:
            self._longest[stretch.phase] = stretch
