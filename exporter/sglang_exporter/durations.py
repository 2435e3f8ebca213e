"""Durations in words."""

_MINUTE, _HOUR, _DAY = 60.0, 3600.0, 86400.0
_LONG = 10 * _MINUTE


def duration(seconds: float) -> str:
    """Return a duration in the unit that suits it."""
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < _LONG:
        return f"{seconds // _MINUTE:.0f} min {seconds % _MINUTE:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    days = f" ({seconds / _DAY:.1f} days)" if seconds >= 2 * _DAY else ""
    return f"{seconds / _HOUR:.1f} h{days}"
