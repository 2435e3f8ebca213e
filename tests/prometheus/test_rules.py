"""What promtool cannot know: rules name metrics that exist, and every alert has what a person needs at night."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sglang_exporter.config import Thresholds
from sglang_exporter.metrics.catalogue import BY_NAME

SHIPPED = Path(__file__).parents[2] / "prometheus"
RUNBOOK_URL = "https://github.com/sglang-exporter/sglang-exporter/blob/main/prometheus/runbooks/"
RUNBOOK_PARTS = ["Meaning", "Impact", "Diagnosis", "Mitigation"]
RAW_NAME = re.compile(r"(?<![:\w])sglang_\w+(?![:\w])")
RECORDED_NAME = re.compile(r"\b[a-z_]+:(?:sglang|process)_\w+:\w+")
LEVELS = {"instance", "server", "scheduler", "engine", "dataset", "source", "pool", "kind", "reason"}
OTHER_ALERTS = re.compile(r"SGLang\w+")


def rules_of(*names: str) -> list[dict[str, Any]]:
    """Return the rules of the given rule files, in order."""
    documents = [yaml.safe_load((SHIPPED / "rules" / name).read_text()) for name in names]
    return [rule for document in documents for group in document["groups"] for rule in group["rules"]]


RECORDS = rules_of("recording.yml")
ALERTS = rules_of("alerts.yml")
RECORDED = [rule["record"] for rule in RECORDS]


def texts(rule: dict[str, Any]) -> str:
    """Return all PromQL of a rule, that of its annotations included, without what links to its runbook."""
    return " ".join([rule["expr"], rule.get("annotations", {}).get("description", "")])


def alert_cases() -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Yield the alerts of promtool's cases and what is expected of each."""
    for path in sorted(SHIPPED.glob("tests/*.yml")):
        for test in yaml.safe_load(path.read_text())["tests"]:
            for case in test.get("alert_rule_test", []):
                yield case["alertname"], case.get("exp_alerts", [])


CASES = list(alert_cases())


@pytest.mark.parametrize("rule", [*RECORDS, *ALERTS], ids=lambda rule: rule.get("record") or rule["alert"])
def test_rule_names_only_what_exists(rule: dict[str, Any]) -> None:
    assert set(RAW_NAME.findall(texts(rule))) <= set(BY_NAME)
    assert set(RECORDED_NAME.findall(texts(rule))) <= set(RECORDED)


@pytest.mark.parametrize("record", RECORDED)
def test_recorded_series_keeps_the_name_of_its_metric(record: str) -> None:
    level, metric, operations = record.split(":")
    assert LEVELS.issuperset(level.split("_"))
    assert operations
    parts = re.split("_per_(?:prompt|generated)_tokens", metric)[0]
    assert {parts, f"{parts}_total"} & {*BY_NAME, "process_start_time_seconds"}


@pytest.mark.parametrize("rule", RECORDS, ids=RECORDED)
def test_every_rule_on_a_counter_leaves_out_restarts_within_its_own_window(rule: dict[str, Any]) -> None:
    window = re.search(r"(?:rate|increase)\(sglang_\w+\[(\w+)\]\)", rule["expr"])
    if window:
        guard = f"unless on (job, instance) instance:process_start_time_seconds:changes{window[1]}"
        assert rule["expr"].endswith(guard)


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_alert_says_how_bad_how_long_and_what(rule: dict[str, Any]) -> None:
    annotations = rule["annotations"]
    assert rule["labels"]["severity"] in {"critical", "warning", "info"}
    assert "for" in rule
    assert "{{" not in annotations["summary"]
    assert "{{" in annotations["description"]
    assert annotations["runbook_url"] == f"{RUNBOOK_URL}{rule['alert'].lower()}.md"


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_alert_has_a_runbook_with_queries_that_name_what_exists(rule: dict[str, Any]) -> None:
    page = (SHIPPED / "runbooks" / f"{rule['alert'].lower()}.md").read_text()
    assert page.startswith(f"# {rule['alert']}\n")
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == RUNBOOK_PARTS
    assert set(RAW_NAME.findall(page)) <= set(BY_NAME)
    assert set(RECORDED_NAME.findall(page)) <= set(RECORDED)
    assert set(OTHER_ALERTS.findall(page)) <= {rule["alert"] for rule in ALERTS}


def test_the_page_on_the_cross_check_names_what_exists() -> None:
    page = (SHIPPED / "cross-check.md").read_text()
    assert set(RAW_NAME.findall(page)) <= set(BY_NAME)
    assert set(RECORDED_NAME.findall(page)) <= set(RECORDED)


def test_there_is_no_runbook_without_an_alert() -> None:
    assert {path.stem for path in SHIPPED.glob("runbooks/*.md")} == {rule["alert"].lower() for rule in ALERTS}


@pytest.mark.parametrize("name", [rule["alert"] for rule in ALERTS])
def test_alert_has_a_firing_and_a_silent_case(name: str) -> None:
    expected = [alerts for case, alerts in CASES if case == name]
    assert any(expected)
    assert not all(expected)


def test_thresholds_that_rules_join_on_are_in_the_configuration() -> None:
    joined = set(re.findall(r'sglang_exporter_alert_threshold\{alert="(\w+)"\}', str(ALERTS)))
    assert joined == set(Thresholds.__struct_fields__)
