"""Numbers and times of the page in words, whatever they are."""

from datetime import UTC, datetime
from math import inf, isfinite, isnan

from sglang_exporter.durations import duration

_LARGE = (("T", 1e12), ("G", 1e9), ("M", 1e6))
_BYTES = (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3))
_DAY = 86400.0
_CENTURY = 36525 * _DAY
_MOST = 1e15


def amount(value: float) -> str:
    """Return a number with about three digits that matter, or all digits up to ten million if it is whole."""
    if not isfinite(value) or abs(value) >= _MOST:
        return _odd(value)
    for letter, size in _LARGE:
        if abs(value) >= 10 * size:
            return f"{value / size:,.1f} {letter}"
    if value == int(value) or abs(value) >= 100:  # noqa: PLR2004
        return f"{value:,.0f}"
    return f"{value:.3g}"


def size(value: float) -> str:
    """Return a number of bytes."""
    if not isfinite(value) or abs(value) >= _MOST:
        return f"{_odd(value)} B"
    unit, scale = next(((unit, scale) for unit, scale in _BYTES if abs(value) >= scale), ("B", 1.0))
    return f"{value / scale:.3g} {unit}"


def percent(value: float, digits: int = 0) -> str:
    """Return a share in percent."""
    return f"{value:.{digits}%}".replace("%", " %") if isfinite(value) else f"{_odd(value)} %"


def span(seconds: float) -> str:
    """Return a stretch of time."""
    if not seconds < _CENTURY:
        return "more than a century"
    return f"{seconds / _DAY:.1f} days" if seconds >= 2 * _DAY else duration(max(0.0, seconds))


def ago(at: float, now: float) -> str:
    """Return how long ago something was; a moment ahead is the clock's fault, and now."""
    return f"{span(now - at)} ago"


def moment(at: float, now: float) -> str:
    """Return a time in UTC, with its date if that is not today's."""
    try:
        time, today = datetime.fromtimestamp(at, UTC), datetime.fromtimestamp(now, UTC).date()
    except (ValueError, OverflowError, OSError):
        return "at no time that a calendar has"
    return f"{time:%H:%M}" if time.date() == today else f"{time:%Y-%m-%d %H:%M}"


def _odd(value: float) -> str:
    if isnan(value):
        return "not a number"
    return f"{'-' * (value < 0)}∞" if abs(value) == inf else f"{value:.2e}"
