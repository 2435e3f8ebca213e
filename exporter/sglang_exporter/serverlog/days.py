"""Times without a date, as SGLang prints them before 0.3.4, counted on over midnight."""

from sglang_exporter.serverlog.stamps import DAY

_SET_BACK = 5400.0
_LATE = 60.0


class Days:
    """Turns the times of one log into seconds since the midnight before its first line.

    An earlier time than the one before is the next day's, unless it is so little earlier that the clock may have been
    set back, or that another process printed it late.
    """

    def __init__(self) -> None:
        self._midnight = 0.0
        self._newest: float | None = None

    def seconds(self, printed: float) -> float:
        """Return the place of a time, given in seconds since its own midnight."""
        if self._newest is None:
            self._newest = printed
        since = self._midnight + printed
        if since < self._newest - _SET_BACK:
            self._midnight += DAY
            since += DAY
        elif since > self._newest + DAY - _LATE:  # printed just before midnight, and written after it
            return since - DAY
        self._newest = max(self._newest, since)
        return since
