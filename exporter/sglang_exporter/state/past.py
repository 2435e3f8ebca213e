"""What happened when by the records' own timestamps: the recent past of a job whose exporter was just started."""

from collections.abc import Iterator
from math import inf
from typing import NamedTuple

from sglang_exporter.outputs.record import Record

_RESOLUTION = 2.0
_MOST = 20_000
_LATE = 0.1
_CLOCKS_DIFFER = 5.0


class Moment(NamedTuple):
    """What happened within two seconds."""

    completions: float = 0
    output_tokens: float = 0
    uncounted: float = 0
    """Completions whose tokens are to be estimated by an average."""
    estimated_tokens: float = 0
    done: float = 0
    records: float = 0


class Past:
    """What records of the history say that happened, for five hours at least.

    Nothing is believed when a completion has no timestamp, or when the newest one is not that of the files' last
    change: it may be of another clock, or tell when requests began.
    """

    def __init__(self) -> None:
        self._moments: dict[int, list[float]] = {}
        self.spoilt = False
        """Whether there was a completion without a timestamp."""
        self._newest = self._arrived = -inf
        self._since = -inf

    def add(self, record: Record, done: int, arrived: float) -> None:
        """Take in a record; `arrived` is when its file last changed, in seconds since the epoch."""
        self._arrived = max(self._arrived, arrived)
        time = record.timestamp
        if time is None or time > arrived + _CLOCKS_DIFFER:
            self.spoilt = self.spoilt or record.completions > 0
            return
        self._newest = max(self._newest, time)
        sign = -1 if record.withdrawn else 1
        key = int(time // _RESOLUTION)
        sums = self._moments.get(key)
        if sums is None:
            sums = self._moments[key] = [0.0] * len(Moment._fields)
        sums[0] += sign * record.completions
        sums[1] += sign * record.output_tokens
        sums[2] += sign * (record.uncounted - record.measured)
        sums[3] += sign * record.estimated_tokens
        sums[4] += sign * done
        sums[5] += sign
        if len(self._moments) > 2 * _MOST:
            self._forget()

    def knows(self, span: float, now: float) -> bool:
        """Tell whether all that happened in so many seconds before now is known."""
        return (
            bool(self._moments)
            and not self.spoilt
            and self._newest >= self._arrived - _LATE * span
            and self._arrived <= now + _CLOCKS_DIFFER
            and self._since <= now - span
        )

    def within(self, span: float, now: float) -> Iterator[tuple[float, Moment]]:
        """Yield what happened in so many seconds before now, with its time, the oldest first."""
        for key in sorted(self._moments):
            if now - span < (time := key * _RESOLUTION) <= now:
                yield time, Moment(*self._moments[key])

    @property
    def first(self) -> float:
        """When the first thing that is known happened; infinite if nothing is."""
        return min(self._moments, default=inf) * _RESOLUTION

    def _forget(self) -> None:
        kept = sorted(self._moments)[-_MOST:]
        self._moments = {key: self._moments[key] for key in kept}
        self._since = kept[0] * _RESOLUTION
