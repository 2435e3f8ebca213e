"""Raw samples out of a real Prometheus, and whether two of them hold the same."""

from bisect import bisect_left, bisect_right

from support.prometheus import PrometheusServer

Series = tuple[tuple[str, str], ...]
Points = list[tuple[float, float]]


def raw(prometheus: PrometheusServer, selector: str, at: float, seconds: int) -> dict[Series, Points]:
    """Return the samples of each series in so many seconds before a time: (time, value), not one made up by looking back."""
    found = prometheus.query(f"{selector}[{seconds}s]", at)
    return {
        tuple(sorted(series["metric"].items())): [(float(time), float(value)) for time, value in series["values"]]
        for series in found
    }


def around(points: Points, at: float, tolerance: float) -> list[float]:
    """Return the values within a tolerance of a time."""
    times = [time for time, _ in points]
    return [value for _, value in points[bisect_left(times, at - tolerance) : bisect_right(times, at + tolerance)]]
