"""The dashboards as they are committed, taken apart for the tests."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

GRAFANA = Path(__file__).parents[2] / "grafana"
FILES = sorted((GRAFANA / "json").glob("*.json"))
each_dashboard = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)

_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_SELECTOR = re.compile(
    r"(?P<before>\w+\()?\b(?P<metric>(?:\w+:)?(?:sglang|process|scrape)_\w+(?::\w+)*|ALERTS|up)\b"
    r"(?:\{(?P<matchers>[^}]*)\})?(?P<range>\[[^]]*\])?"
)
_VARIABLE = re.compile(r"\$\{?([a-zA-Z_]\w*)\}?")  # $1 is for label_replace
_VALUES = {
    "__rate_interval": "1m",
    "__interval": "15s",
    "__interval_ms": "15000",
    "__range": "6h",
    "__range_s": "21600",
    "window": "10m",
    "before": "1700000000",
    "after": "1700003600",
    "shift": "3600",
    "since": "3600",
}


class Selector(NamedTuple):
    """A selector: what it is handed to, its metric, what stands in its braces, its range with the brackets."""

    function: str
    metric: str
    matchers: str
    range: str


def load(path: Path) -> dict[str, Any]:
    """Return a dashboard."""
    dashboard: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return dashboard


def all_panels(path: Path) -> list[dict[str, Any]]:
    """Return headings and panels, those inside collapsed headings too."""
    top = load(path)["panels"]
    return [*top, *(inner for panel in top for inner in panel.get("panels", []))]


def panels(path: Path) -> list[dict[str, Any]]:
    """Return the panels that show something: all but the headings."""
    return [panel for panel in all_panels(path) if panel["type"] != "row"]


def targets(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each query of each panel, with a name for messages."""
    for panel in panels(path):
        for target in panel["targets"]:
            yield f"{panel['title']} ({target['refId']})", target


def variables(path: Path, kind: str) -> list[dict[str, Any]]:
    """Return the variables of a kind: datasource or query."""
    return [variable for variable in load(path)["templating"]["list"] if variable["type"] == kind]


def annotations(path: Path) -> list[dict[str, Any]]:
    """Return the annotations that come from queries."""
    return [annotation for annotation in load(path)["annotations"].get("list", []) if "expr" in annotation]


def asked(query: str) -> tuple[str, str, str]:
    """Return a variable's query taken apart: its function, the PromQL in it, and the label, if it asks for one."""
    function, _, inside = query.removesuffix(")").partition("(")
    if function == "query_result":
        return function, inside, ""
    vector, _, label = inside.rpartition(", ")
    return function, vector, label


def expressions(path: Path) -> Iterator[str]:
    """Yield every PromQL expression: of panels, annotations, and of the variables."""
    yield from (target["expr"] for _, target in targets(path))
    yield from (annotation["expr"] for annotation in annotations(path))
    yield from (asked(variable["query"])[1] for variable in variables(path, "query"))


def resolved(expr: str, values: dict[str, str] | None = None) -> str:
    """Return the expression with values for the variables, the given ones before those that any dashboard has."""
    known = _VALUES | (values or {})
    return _VARIABLE.sub(lambda found: known.get(found[1], ".+"), expr)


def selectors(expr: str) -> list[Selector]:
    """Return the selectors of our metrics and Prometheus's own, also those that forgot their braces."""
    found = _SELECTOR.finditer(expr)
    return [
        Selector((m["before"] or "").rstrip("("), m["metric"], m["matchers"] or "", m["range"] or "") for m in found
    ]


def ranges(expr: str) -> list[str]:
    """Return what stands in brackets outside strings: the ranges of range selectors and subqueries."""
    return re.findall(r"\[([^]]*)\]", _STRING.sub("", expr))
