"""The few figures of a server or a data set that the page at `/` draws over time: its metrics of this moment."""

from typing import NamedTuple

from sglang_exporter.state.job import JobState
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.tally import ERRORS

_SUMS = {
    "speed": ("gen_throughput_tokens_per_second", ""),
    "running": ("running_requests", ""),
    "queued": ("queued_requests", ""),
}
_USAGE = "token_usage_ratio"
HOST_POOL = "cpu"
"""The pool of the KV cache that is not on the device."""


class Figures(NamedTuple):
    """By name: gauges, without those that are absent, and counters, of which the rise is of interest."""

    gauges: dict[str, float]
    counters: dict[str, float]


def server_figures(state: ServerState, now: float, stale_after: float | None) -> Figures:
    """Return speed in tokens per second, requests, and the usage of the fullest pool, all engines and ranks together.

    A gauge is there when its metric is. Counters: retractions, incidents and starts.
    """
    engines = state.engines.values()
    said = [gauges for engine in engines for gauges in engine.gauges(now, stale_after).values()]
    gauges = {name: sum(values) for name, gauge in _SUMS.items() if (values := [s[gauge] for s in said if gauge in s])}
    pools = [value for s in said for (metric, pool), value in s.items() if metric == _USAGE and pool != HOST_POOL]
    if pools:
        gauges["usage"] = max(pools)
    retractions = sum(s.counters["retractions_total"] for engine in engines for s in engine.schedulers.values())
    incidents = sum(number for engine in engines for number in engine.errors.values())
    starts = sum(engine.starts for engine in engines)
    return Figures(gauges, {"retractions": retractions, "incidents": incidents, "starts": starts})


def job_figures(state: JobState, now: float) -> Figures:
    """Return tokens, exact or estimated, and completions per second in the first window, and done. Counter: errors."""
    gauges = {"done": float(state.done)}
    for rates in list(state.rates(now).values())[:1]:
        gauges["tokens"] = rates.output_tokens + rates.estimated_tokens
        gauges["completions"] = rates.completions
    counts = state.totals()
    return Figures(gauges, {"errors": sum(counts[name] for name in ERRORS.values())})
