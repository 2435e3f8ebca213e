"""Made-up series for a Prometheus: what would take a server in a certain state to get."""

from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from operator import attrgetter
from pathlib import Path

from support.history import CONFIG, JOB, SCRAPE_SECONDS, WRITING
from support.prometheus import PrometheusServer
from support.remote_write import Sample, write

Value = float | Callable[[float], float | None]


def made_up(metric: str, start: float, end: float, value: Value, **labels: str) -> Iterator[Sample]:
    """Yield a series scraped from start to end: a constant, or a function of the time that may say None for no sample."""
    named = {"__name__": metric, "job": JOB, "instance": "box:17461", **labels}
    key = tuple(sorted(named.items()))
    shown = False
    for step in range(int((end - start) // SCRAPE_SECONDS) + 1):
        time = start + step * SCRAPE_SECONDS
        said = value(time) if callable(value) else value
        if said is not None or shown:
            yield Sample(time, key, said)
        shown = said is not None


def prometheus_with(folder: Path, series: Iterable[Iterator[Sample]]) -> PrometheusServer:
    """Return a Prometheus that has the series."""
    server = PrometheusServer(folder, CONFIG, flags=WRITING)
    write(server.url, merge(*series, key=attrgetter("time")))
    return server
