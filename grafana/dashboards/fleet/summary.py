"""The top of the page: how many servers there are and what they make together."""

from dashboards.fleet import numbers
from parts.looks import fixed, unit
from parts.panels import Head, Panel, steps, tile
from parts.queries import Query, series

_WORKING = series("sglang_server_phase", 'phase=~"warmup|steady|drain"')
_BAD = series("sglang_server_phase", 'phase=~"stalled|down"')


def panels() -> list[Panel]:
    """Return the tiles from left to right."""
    return [_servers(), _bad(), _alerts(), _speed(), _requests(), _full(), _exporters()]


def _servers() -> Panel:
    head = Head(
        101,
        "Servers",
        "Servers that an exporter watches, and those of them that work on requests now. Good: as many as you run; all"
        " work while there is a batch job. From the log: its presence, and the phase that batch lines tell.",
        "no exporter has read a log yet",
    )
    every = Query(f"count({_per_server(numbers.PHASE)})", "watched")
    working = Query(f"sum({_per_server(_WORKING)})", "at work")
    return tile(head, "short", [every, working], 3)


def _bad() -> Panel:
    head = Head(
        102,
        "Stalled or down",
        "Servers that hold requests and do not move, or that have crashed. Good: 0. From the log: silence with requests"
        " left, crash lines, and the end of all lines.",
        "no exporter has read a log yet",
    )
    panel = tile(head, "short", [Query(f"sum({_per_server(_BAD)})")], 3)
    return panel.thresholds(steps("green", (1, "red")))


def _alerts() -> Panel:
    head = Head(
        103,
        "Alerts firing",
        "Alerts of the shipped rules that fire, by severity. Good: none. They are listed at the end of the page."
        " From Prometheus: ALERTS.",
        "0",
    )
    severities = [
        Query(f"count({numbers.firing(f'severity={severity!r}')})", severity) for severity in ("critical", "warning")
    ]
    panel = tile(head, "short", severities, 3)
    return panel.override_by_query("A", fixed("red")).override_by_query("B", fixed("orange"))


def _speed() -> Panel:
    head = Head(
        104,
        "Fleet speed",
        "Tokens generated per second by all servers, and the share that this is of the sum of each server's best in the"
        " last day. Good: a high share while there is work. From the log: gen throughput (token/s) over 5 minutes.",
        "needs the recording rules",
    )
    speed, best = f"sum({numbers.SPEED})", f"sum({numbers.BEST})"
    panel = tile(head, "suffix: tok/s", [Query(speed, "now"), Query(f"{speed} / {best}", "of its best")], 5)
    return panel.decimals(0).override_by_query("B", unit("percentunit"))


def _requests() -> Panel:
    head = Head(
        105,
        "Requests",
        "Requests that run and that wait on all servers. Good in a batch job: some wait. Good for people who wait for"
        " answers: none. From the log: #running-req and #queue-req of the last batch lines.",
        "all are silent",
    )
    running, queued = Query(f"sum({numbers.RUNNING})", "running"), Query(f"sum({numbers.QUEUED})", "queued")
    return tile(head, "short", [running, queued], 3)


def _full() -> Panel:
    head = Head(
        106,
        "KV cache full",
        "Servers whose KV cache is above its threshold (0.9, or as configured). Good in a batch job: all that work. Bad"
        " where people wait for answers: requests wait too, or are sent back. From the log: token usage.",
        "all are silent",
    )
    full = f"{_per_server(numbers.USAGE)} >= bool on (instance, server) {_per_server(numbers.THRESHOLD)}"
    return tile(head, "short", [Query(f"sum({full})")], 3)


def _exporters() -> Panel:
    head = Head(
        107,
        "Exporters down",
        "Exporters that Prometheus cannot reach: of their servers nothing is known. Good: 0. From Prometheus: up.",
        "no exporter is scraped",
    )
    panel = tile(head, "short", [Query(f"count({numbers.UP}) - sum({numbers.UP})")], 4)
    return panel.thresholds(steps("green", (1, "red")))


def _per_server(vector: str) -> str:
    return f"max by (instance, server) ({vector})"
