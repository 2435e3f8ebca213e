"""The last hour, in memory: what the metrics were each five seconds. Nothing of it is stored."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Literal

from sglang_exporter.metrics.figures import Figures, job_figures, server_figures
from sglang_exporter.state.store import Store

STEP = 5.0
"""Seconds from one moment to the next."""
MOMENTS = 720
_NOTHING = array("f", [nan]) * MOMENTS

Key = tuple[Literal["server", "job"], str]
"""What is followed, with its name."""
Series = Sequence[float]
"""A figure over the hour, oldest first; NaN where there was none."""
Hour = Mapping[str, Series]
"""Figures by name: of counters how much they rose, of both kinds those that there were at all."""


@dataclass
class _Ring:
    """One figure, that of a moment at `moment % MOMENTS`."""

    values: "array[float]" = field(default_factory=lambda: _NOTHING[:])
    newest: int = 0
    """The last moment at which there was one."""


@dataclass
class _Track:
    """One server or data set. A figure that there was not within the hour takes no memory."""

    rings: dict[str, _Ring] = field(default_factory=dict)
    counters: Mapping[str, float] = field(default_factory=dict)

    def add(self, moment: int, figures: Figures) -> None:
        """Take the figures of a moment; of counters, how much they have risen since the last one, if they have."""
        before, self.counters = self.counters, figures.counters
        risen = {name: value - before.get(name, value) for name, value in figures.counters.items()}
        for name, value in (*figures.gauges.items(), *((name, rise) for name, rise in risen.items() if rise > 0)):
            ring = self.rings.get(name)
            if ring is None:
                ring = self.rings[name] = _Ring()
            ring.values[moment % MOMENTS] = value
            ring.newest = moment

    def forget(self, moments: range) -> None:
        """Make room for moments."""
        for name, ring in list(self.rings.items()):
            if moments[-1] - ring.newest >= MOMENTS:
                del self.rings[name]
                continue
            for moment in moments:
                ring.values[moment % MOMENTS] = nan


class Recent:
    """The last hour of each server and data set that is followed.

    It takes 3 kB for each figure that was there within the hour: at most 21 kB a server, 12 kB a data set. A clock that
    jumps ahead leaves a gap; one that is set back begins a new hour.
    """

    def __init__(self, store: Store, stale_after: Callable[[], float | None]) -> None:
        self._store = store
        self._stale_after = stale_after
        self._moment: int | None = None
        self._first = 0
        self._tracks: dict[Key, _Track] = {}

    def look(self, now: float) -> None:
        """Take the figures, if it is time to."""
        moment, before = int(now // STEP), self._moment
        if before is not None and before - 1 <= moment <= before:
            return
        with self._store.lock:
            if before is None or moment < before:
                self._tracks, self._first, before = {}, moment, moment - 1
            self._take(range(max(before + 1, moment - MOMENTS + 1), moment + 1), now)
            self._moment = moment

    def hours(self, now: float) -> dict[Key, Hour]:
        """Return the hour that ends now of all that is followed."""
        with self._store.lock:
            if self._moment is None:
                return {}
            late = min(max(0, int(now // STEP) - self._moment), MOMENTS)
            first = (self._moment + 1) % MOMENTS
            return {
                key: {name: _turned(ring.values, first, late) for name, ring in track.rings.items()}
                for key, track in self._tracks.items()
            }

    def looked(self, now: float) -> int:
        """Return how many moments of the hour have gone by since the first look, or since the clock was set back."""
        return 0 if self._moment is None else min(int(now // STEP) - self._first + 1, MOMENTS)

    def _take(self, moments: range, now: float) -> None:
        tracks: dict[Key, _Track] = {}
        for key, figures in self._figures(now):
            track = tracks[key] = self._tracks.get(key) or _Track()
            track.forget(moments)
            track.add(moments[-1], figures)
        self._tracks = tracks

    def _figures(self, now: float) -> Iterator[tuple[Key, Figures]]:
        stale_after = self._stale_after()
        for name, server in self._store.servers.items():
            if server.source.caught_up:
                yield ("server", name), server_figures(server.state, now, stale_after)
        for name, job in self._store.jobs.items():
            if job.source.caught_up:
                yield ("job", name), job_figures(job.state, now)


def _turned(values: "array[float]", first: int, late: int) -> Series:
    """Return what is in a ring from its oldest value on, and nothing for the moments that nobody looked at since."""
    return (values[first:] + values[:first])[late:] + _NOTHING[:late]
