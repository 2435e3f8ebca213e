"""Means with an interval that respects that neighbouring values are alike: batch means.

A series is cut into at most ten batches, whose means are nearly independent if each is longer than what makes
neighbours alike; Student's t of their spread gives the interval (Schmeiser, "Batch size effects in the analysis of
simulation output", Operations Research 30, 1982: with ten batches or more the interval hardly gets shorter).
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import sqrt
from statistics import fmean, stdev

from sglang_exporter.report.figures import Difference, Estimate, Spread

Total = Callable[[float], float]
"""Returns how many there were until a time, in seconds since the epoch."""

_BATCHES = 10
_SHORTEST = 5
# Student's t, 97.5th percentile, by degrees of freedom from 1 on.
_T = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120)
_T_MANY = 2.1


def of_batches(means: Sequence[float]) -> Estimate:
    """Return the mean of batch means with its 95 % interval; without an interval for fewer than two of them."""
    mean = fmean(means)
    if len(means) < 2:  # noqa: PLR2004 -- a spread takes two
        return Estimate(mean)
    half = quantile(len(means) - 1) * stdev(means) / sqrt(len(means))
    return Estimate(mean, mean - half, mean + half, len(means))


def over_time(total: Total, begin: float, end: float, number: int) -> Estimate:
    """Return how much a total rises a second from `begin` to `end`, its interval by a number of parts of equal time."""
    part = (end - begin) / number
    totals = [total(begin + index * part) for index in range(number + 1)]
    return of_batches([(after - before) / part for before, after in pairwise(totals)])


def of_series(values: Sequence[float]) -> Estimate:
    """Return the mean of a series with its 95 % interval, cut into at most ten batches of five values or more."""
    number = min(_BATCHES, len(values) // _SHORTEST)
    if number < 2:  # noqa: PLR2004
        return Estimate(fmean(values))
    edges = [len(values) * index // number for index in range(number + 1)]
    parts = [fmean(values[a:b]) for a, b in pairwise(edges)]
    found = of_batches(parts)
    shift = fmean(values) - found.mean  # batches differ in length by one value
    return Estimate(found.mean + shift, (found.low or 0.0) + shift, (found.high or 0.0) + shift, number)


def spread(values: Sequence[float]) -> Spread:
    """Return mean with interval, median and 5th and 95th percentile."""
    ordered = sorted(values)
    return Spread(of_series(values), *(percentile(ordered, share) for share in (0.5, 0.05, 0.95)))


def percentile(ordered: Sequence[float], share: float) -> float:
    """Return a percentile of ordered values, between two of them in proportion."""
    place = share * (len(ordered) - 1)
    low = int(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def difference(before: Estimate, after: Estimate) -> Difference:
    """Return how much more `after` is than `before`, with the 95 % interval of Welch's test where both have one."""
    by = after.mean - before.mean
    ratio = after.mean / before.mean if before.mean else None
    if before.half is None or after.half is None:
        return Difference(by, ratio)
    errors = [one.half / quantile(one.batches - 1) for one in (before, after) if one.half is not None]
    error = sqrt(sum(e * e for e in errors))
    freedom = [e**4 / max(1, one.batches - 1) for e, one in zip(errors, (before, after), strict=True)]
    degrees = int(error**4 / sum(freedom)) if sum(freedom) else before.batches + after.batches - 2
    half = quantile(max(1, degrees)) * error
    return Difference(by, ratio, by - half, by + half, distinguishable=abs(by) > half)


def quantile(degrees: int) -> float:
    """Return Student's t for a 95 % interval; rounded up where the table ends."""
    return _T[degrees - 1] if degrees <= len(_T) else _T_MANY
