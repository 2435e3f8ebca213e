"""How long a dashboard's queries take."""

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grafana.choices import Opened
from grafana.committed import panels
from support.prometheus import PrometheusServer

_HOURS = 6
_POINTS = 700
"""Those that a panel asks for by itself, one for each pixel of its width."""
_TRIES = 3


def seconds_of_queries(path: Path, server: PrometheusServer, end: float) -> Iterator[tuple[str, float]]:
    """Yield title and letter of each query, and the seconds until its answer, the quickest of a few.

    The dashboard shows six hours until `end`.
    """
    page = Opened(path, server, end - _HOURS * 3600, end)
    for panel in panels(path):
        for target in panel["targets"]:
            expr = page.expression(target["expr"])
            seconds = min(
                _seconds(server, expr, panel, end, instant=target.get("instant", False)) for _ in range(_TRIES)
            )
            yield f"{panel['title']} ({target['refId']})", seconds


def _seconds(server: PrometheusServer, expr: str, panel: dict[str, Any], end: float, *, instant: bool) -> float:
    began = time.perf_counter()
    if instant:
        server.query(expr, end)
    else:
        span = _HOURS * 3600
        server.query_range(expr, end - span, end, span / panel.get("maxDataPoints", _POINTS))
    return time.perf_counter() - began
