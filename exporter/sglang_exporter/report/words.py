"""Numbers and times in words."""

from datetime import UTC, datetime

from sglang_exporter.report.figures import Estimate

_PHASES = {"warmup": "warm-up"}


def number(value: float) -> str:
    """Return a number with about three digits that matter."""
    return _rounded(value, _decimals(value))


def estimate(value: Estimate, unit: str = "") -> str:
    """Return a mean with half its interval."""
    decimals = _decimals(value.mean)
    half = "" if value.half is None else f" ± {_half(value.half, decimals)}"
    return f"{_rounded(value.mean, decimals)}{half}{f' {unit}' if unit else ''}"


def _decimals(value: float) -> int:
    size = abs(value)
    if size >= 100 or value == int(value):  # noqa: PLR2004
        return 0
    return 1 if size >= 10 else 2 if size >= 1 else 3  # noqa: PLR2004


def _rounded(value: float, decimals: int) -> str:
    return f"{value:,.{decimals}f}"


def _half(value: float, decimals: int) -> str:
    """Return half an interval, with a decimal more than its mean where it would be 0 else."""
    return _rounded(value, decimals + (value < 10.0**-decimals))


def clock(at: float, after: float | None = None) -> str:
    """Return a time in UTC, without the date if it is that of `after`."""
    time = datetime.fromtimestamp(at, UTC)
    same = after is not None and datetime.fromtimestamp(after, UTC).date() == time.date()
    return f"{time:%H:%M:%S}" if same else f"{time:%Y-%m-%d %H:%M:%S}"


def percent(ratio: float, digits: int = 0) -> str:
    """Return a share in percent."""
    return f"{ratio:.{digits}%}".replace("%", " %")


def phase(name: str) -> str:
    """Return the name of a phase as prose has it."""
    return _PHASES.get(name, name)
