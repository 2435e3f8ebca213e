"""Printed times to seconds: local time without a zone, to the second, without a date before SGLang 0.3.4."""

import time
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Literal
from zoneinfo import ZoneInfo

DAY = 86400.0
"""Seconds."""
_DATE_LENGTH = 10
_QUARTER = 900.0
_MAX_RESIDUE = 5.0


@lru_cache(maxsize=1024)
def printed_seconds(stamp: str) -> float:
    """Return a stamp as seconds: since 1970 as if it were UTC, or since midnight where no date is printed."""
    if len(stamp) > _DATE_LENGTH and stamp[_DATE_LENGTH] == "T":
        return datetime.fromisoformat(stamp).replace(tzinfo=UTC).timestamp()
    hours, minutes, seconds = stamp.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + float(seconds)


@lru_cache(maxsize=1024)
def possible(stamp: str) -> bool:
    """Tell whether a clock can show a stamp; a damaged one may be `2026-11-31T16:94:41`."""
    try:
        datetime.fromisoformat(stamp if dated(stamp) else f"2000-01-01T{stamp}")
    except ValueError:
        return False
    return True


def dated(stamp: str) -> bool:
    """Tell whether a stamp has a date."""
    return "T" in stamp


def since(earlier: float, later: float) -> float:
    """Return the seconds between two printed times of one log; a time without a date may have passed midnight."""
    gap = later - earlier
    return gap + DAY if gap < 0 and later < DAY else gap


class Zone:
    """What turns the printed times of one log into seconds since the epoch.

    In this order: the zone of the configuration, the distance of the last line from the file's last change, the host.
    """

    def __init__(self, configured: str | None = None) -> None:
        self._zone = parse_zone(configured) if configured else None
        self._offset: float | None = None

    def learn(self, last_stamp: str, mtime: float) -> None:
        """Take the offset from the file's last line, if that was written when the file last changed (within 5 s)."""
        if self._zone or not dated(last_stamp):
            return
        distance = printed_seconds(last_stamp) - mtime
        offset = round(distance / _QUARTER) * _QUARTER
        if abs(distance - offset) <= _MAX_RESIDUE and abs(offset) < DAY:
            self._offset = offset

    @property
    def origin(self) -> Literal["configured", "found", "host"]:
        """Where the zone is from: the configuration, the file, or the host for want of both."""
        if self._zone:
            return "configured"
        return "host" if self._offset is None else "found"

    def epoch(self, stamp: str, newest: float, fold: int = 0) -> float:
        """Return a stamp in seconds since the epoch, never after `newest`, when the file last changed.

        Of an hour that a configured zone has twice, when summer time ends, `fold` 1 takes the second.
        """
        printed = printed_seconds(stamp)
        if not dated(stamp):
            return self._without_date(printed, newest)
        return min(printed - self._offset_at(printed, fold), newest)

    def _without_date(self, printed: float, newest: float) -> float:
        """Return the last moment before `newest` at which a clock on the wall showed `printed`."""
        local = newest + self._offset_at(newest)
        return newest - (local - printed) % DAY

    def _offset_at(self, seconds: float, fold: int = 0) -> float:
        if self._zone:
            offset = datetime.fromtimestamp(seconds, tz=UTC).replace(tzinfo=self._zone, fold=fold).utcoffset()
            return (offset or timedelta()).total_seconds()
        if self._offset is not None:
            return self._offset
        return time.localtime(seconds).tm_gmtoff


def parse_zone(name: str) -> timezone | ZoneInfo:
    """Return the zone `UTC`, `Europe/Berlin` or `+08:00`; raises ValueError on anything else."""
    if name.startswith(("+", "-")):
        return timezone(datetime.fromisoformat(f"2000-01-01T00:00:00{name}").utcoffset() or timedelta())
    try:
        return ZoneInfo(name or "no name")
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"unknown time zone {name!r}") from error
