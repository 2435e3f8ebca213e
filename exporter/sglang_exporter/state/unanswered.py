"""Requests that were let in and whose answer no line has told of: what tells a stall from a drained server."""

from dataclasses import dataclass


@dataclass(slots=True)
class Unanswered:
    """How many requests of an engine lack an answer, as far as one kind of line tells; None before any batch line.

    The access line of a streamed answer comes at its beginning, even before its request joins: the count is then
    below 0.
    """

    count: float | None = None

    def batch(self, joined: float, present: float) -> None:
        """Take a batch line: `joined` entered with it, `present` are all that run or wait, those that joined too."""
        known = self.count
        if known is None or known + joined >= present:
            self.count = present
        elif joined:
            self.count = known + joined

    def leave(self, requests: float) -> None:
        """Take requests that were answered, or sent back to the queue and will join again."""
        if self.count is not None:
            self.count -= requests
