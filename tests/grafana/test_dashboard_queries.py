import re
from pathlib import Path

from grafana.committed import annotations, each_dashboard, expressions, selectors, targets
from sglang_exporter.metrics.catalogue import BY_NAME
from sglang_exporter.metrics.row import Row

SCRAPED = {"job", "instance"}
PART = re.compile(r"_(bucket|sum|count)$")


@each_dashboard
def test_every_metric_is_in_the_catalogue(path: Path) -> None:
    for expr in expressions(path):
        for selector in selectors(expr):
            assert _row(selector.metric), f"{selector.metric} in {expr}"


@each_dashboard
def test_matchers_name_labels_that_the_metric_has(path: Path) -> None:
    for expr in expressions(path):
        for selector in selectors(expr):
            row = _row(selector.metric)
            named = set(re.findall(r'(\w+)(?:=~|!~|!=|=)"', selector.matchers))
            assert row is None or named <= {*row.labels, *SCRAPED}, f"{selector.metric} in {expr}"


@each_dashboard
def test_sums_are_by_labels_that_the_metrics_have(path: Path) -> None:
    for expr in expressions(path):
        known = {label for selector in selectors(expr) if (row := _row(selector.metric)) for label in row.labels}
        for labels in re.findall(r"\bby \(([^)]*)\)", expr):
            assert set(labels.split(", ")) <= {*known, *SCRAPED, "le"}, expr


@each_dashboard
def test_legends_use_labels_that_the_query_keeps(path: Path) -> None:
    for name, target in targets(path):
        kept = {label for labels in re.findall(r"\bby \(([^)]*)\)", target["expr"]) for label in labels.split(", ")}
        made = set(re.findall(r'label_join\(.*, "(\w+)", " "', target["expr"]))
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= kept | made, name


@each_dashboard
def test_annotations_use_labels_that_their_metrics_have(path: Path) -> None:
    for annotation in annotations(path):
        found = selectors(annotation["expr"])
        known = {label for selector in found if (row := _row(selector.metric)) for label in row.labels}
        text = annotation["titleFormat"] + annotation["textFormat"]
        assert set(re.findall(r"\{\{(\w+)\}\}", text)) <= known, annotation["name"]


def _row(metric: str) -> Row | None:
    """Return the catalogue's row of a metric, or of the histogram that it is a part of."""
    if metric in BY_NAME:
        return BY_NAME[metric]
    whole = BY_NAME.get(PART.sub("", metric))
    return whole if whole is not None and whole.type == "histogram" else None
