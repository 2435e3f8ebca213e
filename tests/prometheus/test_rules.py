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
RAW_NAME = re.compile(r"(?<![:\w])sglang_\w+(?![:\w])")
RECORDED_NAME = re.compile(r"\b[a-z_]+:(?:sglang|process)_\w+:\w+")
LEVELS = {"instance", "server", "scheduler", "engine", "dataset", "source", "pool", "kind", "reason", "code"}
DIVISION = re.compile(r"_per_(?:prompt_tokens|requests|running_request|generated_tokens|expected)$|_5xx(?=_per_)")
SEVERITIES = {"critical", "warning", "info"}


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


def expected_labels(name: str) -> list[dict[str, str]]:
    return [alert["exp_labels"] for case, alerts in CASES if case == name for alert in alerts]


@pytest.mark.parametrize("rule", [*RECORDS, *ALERTS], ids=lambda rule: rule.get("record") or rule["alert"])
def test_rule_names_only_what_exists(rule: dict[str, Any]) -> None:
    assert set(RAW_NAME.findall(texts(rule))) <= set(BY_NAME)
    assert set(RECORDED_NAME.findall(texts(rule))) <= set(RECORDED)


@pytest.mark.parametrize("record", RECORDED)
def test_recorded_series_keeps_the_name_of_its_metric(record: str) -> None:
    level, metric, operations = record.split(":")
    assert LEVELS.issuperset(level.split("_"))
    assert operations
    named = DIVISION.sub("", DIVISION.sub("", metric))
    assert {named, f"{named}_total"} & {*BY_NAME, "process_start_time_seconds"}


@pytest.mark.parametrize("rule", RECORDS, ids=RECORDED)
def test_every_rule_on_a_counter_leaves_out_restarts_within_its_own_window(rule: dict[str, Any]) -> None:
    window = re.search(r"(?:rate|increase)\(sglang_\w+\[(\w+)\]\)", rule["expr"])
    if window:
        guard = f"unless on (job, instance) instance:process_start_time_seconds:changes{window[1]}"
        assert rule["expr"].endswith(guard)


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: rule["alert"])
def test_alert_says_how_bad_how_long_and_what(rule: dict[str, Any]) -> None:
    annotations = rule["annotations"]
    assert set(re.findall(r"\b(?:critical|warning|info)\b", rule["labels"]["severity"])) <= SEVERITIES
    assert re.sub(r"\{\{.*?\}\}", " ", rule["labels"]["severity"]).split()
    assert "for" in rule
    assert "{{" not in annotations["summary"]
    assert "{{" in annotations["description"]
    assert annotations["runbook_url"] == f"{RUNBOOK_URL}{rule['alert'].lower()}.md"


@pytest.mark.parametrize("name", sorted({rule["alert"] for rule in ALERTS}))
def test_alert_has_a_firing_and_a_silent_case(name: str) -> None:
    expected = [alerts for case, alerts in CASES if case == name]
    assert any(expected)
    assert not all(expected)


def test_thresholds_that_rules_join_on_are_in_the_configuration() -> None:
    joined = set(re.findall(r'sglang_exporter_alert_threshold\{alert="(\w+)"', str(ALERTS)))
    assert joined == set(Thresholds.__struct_fields__)


@pytest.mark.parametrize("rule", ALERTS, ids=lambda rule: f"{rule['alert']}-{rule['labels']['severity'][:8]}")
def test_every_severity_of_an_alert_is_seen_in_a_case(rule: dict[str, Any]) -> None:
    words = set(re.findall(r"\b(?:critical|warning|info)\b", rule["labels"]["severity"]))
    assert words <= {labels["severity"] for labels in expected_labels(rule["alert"])}


def test_what_pages_differs_by_profile() -> None:
    cases = {(labels["profile"], labels["severity"]) for labels in expected_labels("SGLangKVCacheSaturated")}
    assert cases == {("batch", "info"), ("online", "warning")}
    assert {labels["severity"] for labels in expected_labels("SGLangKVCacheQueueGrowing")} == {"critical"}
