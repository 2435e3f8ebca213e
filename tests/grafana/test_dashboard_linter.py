"""The rules of Grafana's dashboard-linter, each under its own name and without exclusions."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from grafana.committed import (
    FILES,
    asked,
    each_dashboard,
    expressions,
    load,
    panels,
    resolved,
    selectors,
    targets,
    variables,
)
from sglang_exporter.metrics.catalogue import BY_NAME
from support.prometheus import binary

SOURCES = {"$datasource", "${datasource}"}
UNITS = {"short", "percentunit", "s", "bytes", "Bps", "locale", "dateTimeAsIso"}
"""Of the units that dashboard-linter knows, those that are used; it knows no `suffix:`, so that stands in overrides."""
COUNTER = re.compile(r"_(total|bucket|sum|count)$")
FUNCTIONS = {"rate", "irate", "increase"}


@each_dashboard
def test_template_datasource(path: Path) -> None:
    (variable,) = variables(path, "datasource")
    assert (variable["name"], variable["label"], variable["query"]) == ("datasource", "Data source", "prometheus")


@each_dashboard
def test_template_job(path: Path) -> None:
    _check_template(path, "job", "Job")


@each_dashboard
def test_template_instance(path: Path) -> None:
    _check_template(path, "instance", "Instance")


@each_dashboard
def test_template_on_time_change_reload(path: Path) -> None:
    assert {variable["refresh"] for variable in variables(path, "query")} == {2}


@each_dashboard
def test_template_label_promql(path: Path) -> None:
    for variable in variables(path, "query"):
        function, vector, label = asked(variable["query"])
        assert function in {"label_values", "query_result"}
        if function == "label_values":
            (selector,) = selectors(vector)
            assert label in {*BY_NAME[selector.metric].labels, "job", "instance"}
        assert variable["definition"] == variable["query"]


@each_dashboard
def test_template_values_parse_where_the_linter_puts_its_own(path: Path) -> None:
    """dashboard-linter replaces a variable by a word, unless its saved value is a number."""
    for variable in variables(path, "query"):
        if asked(variable["query"])[0] == "query_result":
            assert variable["current"] == {"text": "0", "value": "0"}, variable["name"]


@each_dashboard
def test_template_unused(path: Path) -> None:
    text = path.read_text()
    for variable in variables(path, "query"):
        assert re.search(rf"\$\{{?{variable['name']}\b", text), variable["name"]


@each_dashboard
def test_panel_datasource(path: Path) -> None:
    for panel in panels(path):
        assert panel["datasource"]["uid"] in SOURCES, panel["title"]
    for name, target in targets(path):
        assert target["datasource"]["uid"] in SOURCES, name


@each_dashboard
def test_panel_title_description(path: Path) -> None:
    for panel in panels(path):
        assert panel["title"].strip()
        assert panel["description"].strip(), panel["title"]


@each_dashboard
def test_panel_units(path: Path) -> None:
    for panel in panels(path):
        unit = panel["fieldConfig"]["defaults"]["unit"]
        assert unit in UNITS, panel["title"]


@each_dashboard
def test_panel_no_targets(path: Path) -> None:
    for panel in panels(path):
        assert panel["targets"], panel["title"]


@pytest.mark.prometheus
def test_target_promql(tmp_path: Path) -> None:
    found = sorted({resolved(expr) for path in FILES for expr in expressions(path)})
    rules = [{"record": f"query:{place}", "expr": expr} for place, expr in enumerate(found)]
    file = tmp_path / "queries.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboards", "rules": rules}]}))
    check = subprocess.run(
        [binary("promtool"), "check", "rules", str(file)], capture_output=True, text=True, check=False
    )
    assert check.returncode == 0, check.stderr
    assert f"{len(found)} rules found" in check.stdout


@each_dashboard
def test_target_job(path: Path) -> None:
    _check_matcher(path, 'job=~"$job"')


@each_dashboard
def test_target_instance(path: Path) -> None:
    _check_matcher(path, 'instance=~"$instance"')


@each_dashboard
def test_target_rate_interval(path: Path) -> None:
    for name, target in targets(path):
        for selector in selectors(target["expr"]):
            if selector.function in {"rate", "irate"}:  # an increase may be that over a stated time
                assert selector.range == "[$__rate_interval]", name


@each_dashboard
def test_target_counter_agg(path: Path) -> None:
    for name, target in targets(path):
        for selector in selectors(target["expr"]):
            if COUNTER.search(selector.metric):
                assert selector.function in FUNCTIONS, name
                assert selector.range, name


@each_dashboard
def test_target_histogram(path: Path) -> None:
    """A rule that no release of the linter has: buckets go into a quantile. In a heatmap they are drawn as they are."""
    for panel in panels(path):
        for target in panel["targets"]:
            if "_bucket" in target["expr"] and panel["type"] != "heatmap":
                assert target["expr"].startswith("histogram_quantile("), panel["title"]


@each_dashboard
def test_uneditable_dashboard(path: Path) -> None:
    assert load(path)["editable"] is False


def _check_template(path: Path, name: str, label: str) -> None:
    (variable,) = [one for one in variables(path, "query") if one["name"] == name]
    assert variable["label"] == label
    assert variable["datasource"]["uid"] in SOURCES
    assert variable["multi"] is True
    assert variable["includeAll"] is True
    assert variable["allValue"] == ".+"


def _check_matcher(path: Path, matcher: str) -> None:
    for name, target in targets(path):
        found = selectors(target["expr"])
        assert found, name
        for selector in found:
            assert matcher in selector.matchers, name
