import re
from pathlib import Path
from typing import Any

import yaml

from grafana.committed import FILES, GRAFANA, annotations, each_dashboard, expressions, selectors, targets
from sglang_exporter.metrics.catalogue import BY_NAME
from sglang_exporter.metrics.row import Row

SCRAPED = {"job", "instance"}
RULES = sorted((GRAFANA.parent / "prometheus" / "rules").glob("*.yml"))
OTHERS = {
    "ALERTS",
    "up",
    "scrape_duration_seconds",
    "scrape_samples_scraped",
    "process_start_time_seconds",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_open_fds",
    "process_max_fds",
}
"""What Prometheus knows of each target, and what prometheus-client says of its process."""
OF_ALERTS = {"alertname", "severity", *(label for row in BY_NAME.values() for label in row.labels)}
PART = re.compile(r"_(bucket|sum|count)$")


@each_dashboard
def test_every_metric_is_in_the_catalogue(path: Path) -> None:
    for expr in expressions(path):
        for selector in selectors(expr):
            known = _row(selector.metric) or selector.metric in OTHERS
            assert known, f"{selector.metric} in {expr}"


def test_every_recorded_series_is_in_the_rules() -> None:
    recorded = {rule["record"] for rule in _rules() if "record" in rule}
    used = {selector.metric for path in FILES for expr in expressions(path) for selector in selectors(expr)}
    named = {metric for metric in used if ":" in metric}
    assert named
    assert named <= recorded


def test_only_the_fleet_needs_the_rules() -> None:
    for path in FILES:
        named = {one.metric for expr in expressions(path) for one in selectors(expr) if ":" in one.metric}
        assert not named or path.stem == "sglang-fleet", named


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
            of_alerts = OF_ALERTS if "ALERTS{" in expr else set()
            assert set(labels.split(", ")) <= {*known, *SCRAPED, *_made(expr), *of_alerts, "le"}, expr


@each_dashboard
def test_legends_use_labels_that_the_query_keeps(path: Path) -> None:
    for name, target in targets(path):
        sums = re.findall(r"\bby \(([^)]*)\)", target["expr"])
        kept = {label for labels in sums for label in labels.split(", ")} if sums else SCRAPED
        assert set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"])) <= kept | _made(target["expr"]), name


@each_dashboard
def test_annotations_use_labels_that_their_metrics_have(path: Path) -> None:
    for annotation in annotations(path):
        found = selectors(annotation["expr"])
        known = {label for selector in found if (row := _row(selector.metric)) for label in row.labels}
        text = annotation["titleFormat"] + annotation["textFormat"]
        assert set(re.findall(r"\{\{(\w+)\}\}", text)) <= known | SCRAPED | _made(annotation["expr"]), annotation[
            "name"
        ]


def test_other_jobs_that_prometheus_scrapes_are_not_counted() -> None:
    """The variable of the job is `.+` where all are chosen, and `up` is there for everything that is scraped."""
    for path in FILES:
        for expr in expressions(path):
            for own in re.findall(r"\b(?:up|process_\w+|scrape_\w+)\{[^}]*\}", expr):
                assert "sglang_exporter_build_info" in expr, own


def _made(expr: str) -> set[str]:
    """Return the labels that an expression makes itself."""
    return set(re.findall(r', "(\w+)", "', expr)) | set(re.findall(r'count_values by \([^)]*\) \("(\w+)"', expr))


def _rules() -> list[dict[str, Any]]:
    files = [yaml.safe_load(file.read_text()) for file in RULES]
    return [rule for file in files for group in file["groups"] for rule in group["rules"]]


def _row(metric: str) -> Row | None:
    """Return the catalogue's row of a metric, of what it was recorded from, or of the histogram that it is a part of."""
    if ":" in metric:
        _, metric, _ = metric.split(":")
        return BY_NAME.get(metric) or BY_NAME.get(f"{metric}_total")
    if metric in BY_NAME:
        return BY_NAME[metric]
    whole = BY_NAME.get(PART.sub("", metric))
    return whole if whole is not None and whole.type == "histogram" else None
