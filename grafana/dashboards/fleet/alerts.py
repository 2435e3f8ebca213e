"""The alerts that fire, each a row that leads to where it is seen."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.dashboard import ValueMap, ValueMappingResult

from dashboards.fleet import numbers
from parts.links import TO_EXPORTER_OF_ROW, TO_SERVER_OF_ROW
from parts.looks import link, states, wide
from parts.panels import Head, Panel, Size, rows
from parts.queries import Query

_SEVERITIES = {"info": "blue", "warning": "orange", "critical": "red"}
"""From the least to the most pressing; the query gives their places from 1, by which the rows are sorted."""
_LABELS = "alertname, server, engine, dataset, source, pool, kind, instance"


def panels() -> list[Panel]:
    """Return the one table."""
    return [_firing()]


def _firing() -> Panel:
    head = Head(
        401,
        "Which alerts fire?",
        "A row per alert of the shipped rules, critical ones first. Good: none. What each means and what to do is in"
        " prometheus/runbooks, under its name. From Prometheus: ALERTS.",
        "no alert fires",
    )
    firing = Query(" or ".join(_of(severity, place) for place, severity in enumerate(_SEVERITIES, 1)))
    names = {"alertname": "Alert", "server": "Server", "dataset": "Data set", "source": "Source"}
    names |= {"pool": "Pool", "kind": "Kind", "instance": "Instance"}
    panel = rows(head, {"Severity": firing}, names, Size(24, 8), first=["Severity"])
    panel.sort_by([common.TableSortByFieldState().display_name("Severity").desc(desc=True)])
    panel.override_by_name("Alert", wide(240)).override_by_name("Severity", [*states(_words()), *wide(100)])
    panel.override_by_name("Server", link("The server", TO_SERVER_OF_ROW))
    return panel.override_by_name("Instance", link("Its exporter", TO_EXPORTER_OF_ROW))


def _of(severity: str, place: int) -> str:
    matcher = f'severity="{severity}"'
    return f"{place} * group by ({_LABELS}) ({numbers.firing(matcher)})"


def _words() -> ValueMap:
    results = {
        str(place): ValueMappingResult(text=severity, color=colour, index=place)
        for place, (severity, colour) in enumerate(_SEVERITIES.items(), 1)
    }
    return ValueMap(options=results)
