"""The clock that everything is given, so that nothing reads the host's behind our back."""

import time
from typing import Protocol


class Clock(Protocol):
    """Something that tells the time."""

    def now(self) -> float:
        """Return the time in seconds since the epoch."""
        ...


class SystemClock:
    """The host's clock."""

    def now(self) -> float:
        """Return the time in seconds since the epoch."""
        return time.time()


class FixedClock:
    """A clock that shows what it was last set to: the clock of `once`, and of tests."""

    def __init__(self, now: float = 0.0) -> None:
        self.time = now

    def now(self) -> float:
        """Return the time it was set to, in seconds since the epoch."""
        return self.time
