"""How long a dashboard's queries take."""

import time
from collections.abc import Iterator
from pathlib import Path

from grafana.choices import Opened
from grafana.committed import panels
from support.prometheus import PrometheusServer

_HOURS = 6


def seconds_of_queries(path: Path, server: PrometheusServer, end: float) -> Iterator[tuple[str, float]]:
    """Yield title and letter of each query, and the seconds until its answer: for six hours until `end`, as opened."""
    start = end - _HOURS * 3600
    page = Opened(path, server, start, end)
    for panel in panels(path):
        for target in panel["targets"]:
            began = time.perf_counter()
            if target.get("instant"):
                server.query(page.expression(target["expr"]), end)
            else:
                server.query_range(page.expression(target["expr"]), start, end, 30)
            yield f"{panel['title']} ({target['refId']})", time.perf_counter() - began
