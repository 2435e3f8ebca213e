"""When the lines of one log were written, by the times that they print."""

from collections.abc import Iterable
from typing import NamedTuple

from sglang_exporter.backfill.dating import TimeOf
from sglang_exporter.follow.chunk import Chunk
from sglang_exporter.serverlog.days import Days
from sglang_exporter.serverlog.printed import PrintedTimes
from sglang_exporter.serverlog.stamps import DAY, Zone, dated, printed_seconds

_REPEATED = 60.0


class LogDates(NamedTuple):
    """How to date a log's lines, and when the first that prints a time was written, in seconds since the epoch.

    `told` is False where no line prints a time: all of them are then as old as the file.
    """

    time_of: TimeOf
    first: float
    told: bool = True


def log_dates(parts: Iterable[Chunk], zone: Zone) -> LogDates:
    """Return how to date a log, of which only its beginning is read unless it prints times without dates."""
    printed, days, undated, mtime = PrintedTimes(), Days(), list[float](), 0.0
    for chunk in parts:
        mtime = chunk.mtime
        for line in chunk.lines:
            stamp = printed.read(line)
            if stamp is None:
                continue
            if dated(stamp):
                at = zone.epoch(stamp, _newest(zone, mtime))
                return _undated(zone, undated, at) if undated else LogDates(Dated(zone), at)
            undated = [*undated[:1], days.seconds(printed_seconds(stamp))]
    if undated:
        return _undated(zone, undated, mtime)
    return LogDates(lambda _line, _mtime: None, mtime, told=False)


def _undated(zone: Zone, ends: list[float], newest: float) -> LogDates:
    """Return how to date a log whose last time without a date (of the `ends` in it) was before `newest`."""
    first, last = ends[0], ends[-1]
    clock = last % DAY
    stamp = f"{int(clock // 3600):02}:{int(clock % 3600 // 60):02}:{clock % 60:06.3f}"
    midnight = zone.epoch(stamp, newest) - last
    return LogDates(Undated(zone, midnight), midnight + first)


class Dated:
    """Dates lines that print a date. Of times that a zone has twice, those after the first pass are the second."""

    def __init__(self, zone: Zone) -> None:
        self._zone = zone
        self._printed = PrintedTimes()
        self._latest = 0.0
        self._last: tuple[str, float] = ("", 0.0)

    def __call__(self, line: bytes, mtime: float) -> float | None:
        """Return when a line was written, None if it does not tell."""
        stamp = self._printed.read(line)
        if stamp is None or not dated(stamp):
            return None
        if stamp != self._last[0]:
            self._last = (stamp, self._at(stamp, mtime))
        return self._last[1]

    def _at(self, stamp: str, mtime: float) -> float:
        newest = _newest(self._zone, mtime)
        at = self._zone.epoch(stamp, newest)
        if at < self._latest - _REPEATED:
            at = max(at, self._zone.epoch(stamp, newest, fold=1))
        self._latest = max(self._latest, at)
        return at


class Undated:
    """Dates lines without a date, by counting midnights from `midnight`, the one before the first line."""

    def __init__(self, zone: Zone, midnight: float) -> None:
        self._dated = Dated(zone)
        self._midnight = midnight
        self._printed = PrintedTimes()
        self._days = Days()

    def __call__(self, line: bytes, mtime: float) -> float | None:
        """Return when a line was written, None if it does not tell."""
        stamp = self._printed.read(line)
        if stamp is None:
            return None
        if dated(stamp):  # a later release goes on in the same log
            return self._dated(line, mtime)
        return self._midnight + self._days.seconds(printed_seconds(stamp))


def _newest(zone: Zone, mtime: float) -> float:
    """Return the time that no line can be later than; where the zone is a guess it may be off by a day."""
    return mtime + DAY if zone.origin == "host" else mtime
