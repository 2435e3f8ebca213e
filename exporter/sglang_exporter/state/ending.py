"""How a run of the server ended: because somebody asked it to, or because it failed."""

from typing import Literal

import msgspec

Cause = Literal["requested", "failed"]

_REQUESTS = frozenset(("sigterm", "stopped"))
FAILURES = frozenset(("scheduler_exception", "sigquit", "subprocess_crashed"))
ENDS = FAILURES | {"stopped"}


class Ending(msgspec.Struct):
    """The end of one run. The first line that tells of it decides: what a stop leaves behind is no failure."""

    asked: bool = False
    at: float | None = None
    """In seconds since the epoch; None while the run goes on."""
    cause: Cause = "failed"

    def fold(self, kind: str, at: float) -> None:
        """Take in the kind of one line."""
        self.asked |= kind in _REQUESTS
        if self.at is None and kind in ENDS:
            self.at, self.cause = at, "requested" if self.asked else "failed"

    @property
    def cleaning_up(self) -> bool:
        """Whether processes that die now die because the server was stopped."""
        return self.at is not None and self.cause == "requested"
