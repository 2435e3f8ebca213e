"""Single values out of JSON: when a number is usable, what a time means, what null is.

A value may come undecoded, as `msgspec.Raw`, where only its presence is asked: most of a file is text, and not needed.
"""

from datetime import datetime
from math import inf

from msgspec import UNSET, Raw

MOST_TOKENS = 1e12
"""A larger number is no token count of one record, and would spoil a counter for good."""
_NULL = Raw(b"null")
MOST = 1e20
"""A larger number measures nothing."""
_LATEST = 1e11
"""In seconds the year 5138: what is larger counts smaller units."""
_EPOCH_UNITS = ((1e17, 1e-9), (1e14, 1e-6), (_LATEST, 1e-3))


def number(value: object, most: float = MOST) -> float | None:
    """Return a number, digits in a string too, if it can count something: not negative (-1 is "unknown"), not NaN."""
    kind = type(value)
    if kind is int or kind is float:
        return value if 0 <= value <= most else None  # type: ignore[operator, return-value]
    if kind is str:
        try:
            parsed = float(value)  # type: ignore[arg-type]
        except ValueError:
            return None
        return number(int(parsed) if parsed % 1 == 0 else parsed, most) if parsed < inf else None
    return None


def timestamp(value: object, scale: float = 1.0) -> float | None:
    """Return seconds since the epoch of a number or of an ISO 8601 text; a text without a zone is in the host's."""
    if value is UNSET:
        return None
    if (seconds := number(value)) is not None:
        if scale == 1.0 and seconds > _LATEST:
            scale = next(unit for least, unit in _EPOCH_UNITS if seconds > least)
        return seconds * scale
    if isinstance(value, str):
        try:
            return datetime.fromisoformat(value).timestamp()
        except (ValueError, OverflowError, OSError):
            return None
    return None


def is_null(value: object) -> bool:
    """Tell whether nothing is there: no such path, or null."""
    if type(value) is Raw:
        return value == _NULL
    return value is None or value is UNSET
