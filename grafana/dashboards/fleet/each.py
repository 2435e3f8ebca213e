"""A row per server, the most pressing phase first."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.dashboard import DynamicConfigValue

from dashboards.fleet import numbers
from dashboards.server import phases
from parts.links import TO_EXPORTER_OF_ROW, TO_SERVER_OF_ROW
from parts.looks import coloured, link, share_bar, states, unit, wide
from parts.panels import Head, Panel, Size, rows
from parts.queries import Query, by

_FILTER = [DynamicConfigValue("custom.filterable", value=True)]


def panels() -> list[Panel]:
    """Return the one table."""
    return [_servers()]


def _servers() -> Panel:
    head = Head(
        201,
        "How is each server?",
        "A row per server, the most pressing phase first; a click on its name leads down to it. Good: steady, a high"
        " share of its best speed of the last day, no restarts, no alerts. A low share with requests running: it got"
        " slower. From the log: batch lines, server_args=; speed over 5 minutes.",
        "silent",
    )
    columns = {
        "Phase": phases.query(),
        "Alerts": Query(f"{_firing()} or 0 * {_each(numbers.PHASE)}"),
        "Running": Query(_each(numbers.RUNNING)),
        "Queued": Query(_each(numbers.QUEUED)),
        "KV cache": Query(_each(numbers.USAGE)),
        "Speed": Query(_each(numbers.SPEED)),
        "Of its best": Query(f"{_each(numbers.SPEED)} / ({_each(numbers.BEST)} > 0)"),
        "Restarts, 1 d": Query(_each(numbers.RESTARTS)),
    }
    panel = rows(head, columns, {"server": "Server", "instance": "Instance"}, Size(24, 12), first=["Phase"])
    panel.sort_by([common.TableSortByFieldState().display_name("Phase").desc(desc=True)])
    panel.override_by_name("Server", [*link("The server", TO_SERVER_OF_ROW), *wide(150), *_FILTER])
    panel.override_by_name("Phase", [*states(phases.mapping()), *wide(100), *_FILTER])
    panel.override_by_name("Alerts", [*unit("short"), *coloured("text", (1, "red")), *wide(70)])
    panel.override_by_name("Running", [*unit("short"), *wide(90)])
    panel.override_by_name("Queued", [*unit("short"), *wide(90)])
    panel.override_by_name("KV cache", share_bar("green", (0.9, "orange")))
    panel.override_by_name("Of its best", share_bar("orange", (0.5, "green")))
    panel.override_by_name("Speed", unit("suffix: tok/s"))
    panel.override_by_name("Restarts, 1 d", [*unit("short"), *coloured("text", (3, "orange"))])
    return panel.override_by_name("Instance", [*link("Its exporter", TO_EXPORTER_OF_ROW), *wide(170), *_FILTER])


def _each(vector: str) -> str:
    return by("server", "max", vector)


def _firing() -> str:
    return f"{by('server', 'count', numbers.firing())} and on (instance, server) {_each(numbers.PHASE)}"
