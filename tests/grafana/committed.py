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
_SELECTOR = re.compile(r"(?P<before>\w+\()?\b(?P<metric>sglang_\w+)(?:\{(?P<matchers>[^}]*)\})?(?P<range>\[[^]]*\])?")
_VARIABLE = re.compile(r"\$(\w+)")
_VALUES = {"__rate_interval": "1m", "window": "10m"}


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
    return [annotation for annotation in load(path)["annotations"]["list"] if "expr" in annotation]


def expressions(path: Path) -> Iterator[str]:
    """Yield every PromQL expression: of panels, annotations, and within the variables' label_values()."""
    yield from (target["expr"] for _, target in targets(path))
    yield from (annotation["expr"] for annotation in annotations(path))
    for variable in variables(path, "query"):
        yield variable["query"].removeprefix("label_values(").rpartition(",")[0]


def resolved(expr: str) -> str:
    """Return the expression with values for the variables, so that Prometheus can parse it."""
    return _VARIABLE.sub(lambda found: _VALUES.get(found[1], ".+"), expr)


def selectors(expr: str) -> list[Selector]:
    """Return the selectors of our metrics, also those that forgot their braces."""
    found = _SELECTOR.finditer(expr)
    return [
        Selector((m["before"] or "").rstrip("("), m["metric"], m["matchers"] or "", m["range"] or "") for m in found
    ]


def ranges(expr: str) -> list[str]:
    """Return what stands in brackets outside strings: the ranges of range selectors and subqueries."""
    return re.findall(r"\[([^]]*)\]", _STRING.sub("", expr))
