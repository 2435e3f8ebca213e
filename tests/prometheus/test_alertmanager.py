"""The shipped Alertmanager configuration: who is told, what is held back, what the message says."""

import json
import subprocess
from pathlib import Path

import pytest

from support.prometheus import Alertmanager, binary
from support.receivers import all_receivers

SHIPPED = Path(__file__).parents[2] / "prometheus"
BOX = {"job": "sglang-exporter", "instance": "box:17461"}
QWEN = {**BOX, "server": "qwen"}
LLAMA = {**BOX, "server": "llama"}
MATH = {**BOX, "dataset": "math"}
pytestmark = pytest.mark.prometheus


def silenced(folder: Path, *alerts: dict[str, str]) -> set[tuple[str, str]]:
    """Return alert and server of those alerts that the configuration holds back beside the others."""
    config = (SHIPPED / "alertmanager.yml").read_text()
    with Alertmanager(folder, config, SHIPPED.glob("templates/*.tmpl")) as alertmanager:
        alertmanager.send([{"labels": labels} for labels in alerts])
        alertmanager.wait(lambda: bool(inhibited(alertmanager)), 10, "an alert is held back")
        assert len(alertmanager.alerts()) == len(alerts)
        return inhibited(alertmanager)


def inhibited(alertmanager: Alertmanager) -> set[tuple[str, str]]:
    held_back = [alert["labels"] for alert in alertmanager.alerts() if alert["status"]["inhibitedBy"]]
    return {(labels["alertname"], labels.get("server", "")) for labels in held_back}


def test_server_that_is_down_silences_its_others_and_no_other_server(tmp_path: Path) -> None:
    assert silenced(
        tmp_path,
        {"alertname": "SGLangServerDown", "severity": "critical", **QWEN},
        {"alertname": "SGLangServerErrors", "severity": "warning", "kind": "nccl", **QWEN},
        {"alertname": "SGLangServerErrors", "severity": "warning", "kind": "nccl", **LLAMA},
        {"alertname": "SGLangKVCacheSaturated", "severity": "warning", "profile": "online", **QWEN},
        {"alertname": "SGLangExporterSourceDown", "severity": "warning", "source": "qwen", **BOX},
        {"alertname": "SGLangJobStalled", "severity": "critical", **MATH},
    ) == {("SGLangServerErrors", "qwen"), ("SGLangKVCacheSaturated", "qwen")}


def test_server_that_was_stopped_silences_what_its_end_leaves_behind(tmp_path: Path) -> None:
    assert silenced(
        tmp_path,
        {"alertname": "SGLangServerStopped", "severity": "info", **QWEN},
        {"alertname": "SGLangServerHTTPErrors", "severity": "critical", "profile": "online", **QWEN},
        {"alertname": "SGLangServerHTTPErrors", "severity": "critical", "profile": "online", **LLAMA},
    ) == {("SGLangServerHTTPErrors", "qwen")}


def test_engine_that_is_down_silences_its_own_and_not_its_sisters(tmp_path: Path) -> None:
    assert silenced(
        tmp_path,
        {"alertname": "SGLangServerDown", "severity": "critical", **QWEN, "engine": "1"},
        {"alertname": "SGLangServerErrors", "severity": "warning", **QWEN, "engine": "1", "kind": "nccl"},
        {"alertname": "SGLangServerStalled", "severity": "critical", **QWEN, "engine": "2"},
        {"alertname": "SGLangKVCacheSaturated", "severity": "warning", **QWEN},
    ) == {("SGLangServerErrors", "qwen")}


def test_exporter_that_is_down_silences_all_that_it_said(tmp_path: Path) -> None:
    assert silenced(
        tmp_path,
        {"alertname": "SGLangExporterDown", "severity": "critical", **BOX},
        {"alertname": "SGLangServerStalled", "severity": "critical", **QWEN},
        {"alertname": "SGLangServerStalled", "severity": "critical", **LLAMA, "instance": "other:17461"},
        {"alertname": "SGLangJobStalled", "severity": "critical", **MATH},
        {"alertname": "NodeDown", "severity": "critical", **BOX},
    ) == {("SGLangServerStalled", "qwen"), ("SGLangJobStalled", "")}


def test_critical_alert_silences_the_warning_of_the_same_name(tmp_path: Path) -> None:
    assert silenced(
        tmp_path,
        {"alertname": "SGLangServerErrors", "severity": "critical", **QWEN},
        {"alertname": "SGLangServerErrors", "severity": "warning", **QWEN},
        {"alertname": "SGLangKVCacheSaturated", "severity": "warning", **QWEN},
    ) == {("SGLangServerErrors", "qwen")}


def test_critical_alert_of_one_data_set_leaves_the_warning_of_another(tmp_path: Path) -> None:
    name = "SGLangJobWillMissDeadline"
    config = (SHIPPED / "alertmanager.yml").read_text()
    with Alertmanager(tmp_path, config, SHIPPED.glob("templates/*.tmpl")) as alertmanager:
        late = {"alertname": name, **MATH}
        alerts = [{**late, "severity": "critical"}, {**late, "severity": "warning"}]
        alertmanager.send([{"labels": labels} for labels in (*alerts, {**alerts[1], "dataset": "code"})])
        alertmanager.wait(lambda: bool(inhibited(alertmanager)), 10, "an alert is held back")
        held_back = [alert["labels"] for alert in alertmanager.alerts() if alert["status"]["inhibitedBy"]]
    assert [(labels["dataset"], labels["severity"]) for labels in held_back] == [("math", "warning")]


def routed(config: str, **labels: str) -> list[str]:
    """Return the receivers that an alert goes to."""
    given = [f"{name}={value}" for name, value in labels.items()]
    command = [binary("amtool"), "config", "routes", "test", "--config.file=/dev/stdin", *given]
    done = subprocess.run(command, input=config, cwd=SHIPPED, capture_output=True, text=True, check=True)
    return done.stdout.strip().split(",")


@pytest.mark.parametrize("name", ["SGLangServerDown", "SGLangExporterDown"])
def test_every_alert_goes_to_the_webhook_and_with_all_taken_in_to_who_can_use_it(name: str) -> None:
    shipped = (SHIPPED / "alertmanager.yml").read_text()
    assert routed(shipped, alertname=name, severity="info") == ["webhook"]
    everyone = all_receivers(shipped)
    assert routed(everyone, alertname=name, severity="info") == ["webhook", "slack"]
    assert routed(everyone, alertname=name, severity="warning") == ["webhook", "slack", "email"]
    assert routed(everyone, alertname=name, severity="critical") == ["webhook", "slack", "email", "pagerduty"]


URL = "https://example.com/{}.md"
ONE_DOWN = {"labels": {"alertname": "SGLangServerDown", "severity": "critical", **QWEN}}
ONE_RETRACTING = {"labels": {"alertname": "SGLangKVCacheRetracting", "severity": "warning", **QWEN}}
ONE_RESTARTED = {"labels": {"alertname": "SGLangServerRestarted", "severity": "info", **QWEN}}


def alert(one: dict[str, dict[str, str]], *, resolved: bool = False) -> dict[str, object]:
    name = one["labels"]["alertname"]
    annotations = {"summary": f"Of {name}.", "description": f"{name}, 93%.", "runbook_url": URL.format(name.lower())}
    ends = {"status": "resolved", "endsAt": "2026-11-29T10:30:00Z"} if resolved else {"status": "firing"}
    return {**one, "annotations": annotations, "startsAt": "2026-11-29T10:00:00Z", **ends}


def rendered(folder: Path, template: str, group: dict[str, str], *alerts: dict[str, object]) -> str:
    """Return a template of the shipped file as Alertmanager fills it in."""
    firing = any(alert["status"] == "firing" for alert in alerts)
    notification = {
        "status": "firing" if firing else "resolved",
        "groupLabels": group,
        "commonLabels": BOX if len(alerts) == 1 or group == QWEN else {},
        "alerts": alerts,
    }
    data = folder / "notification.json"
    data.write_text(json.dumps(notification))
    call = f'{{{{ template "{template}" . }}}}'
    flags = ["--template.glob=templates/*.tmpl", f"--template.text={call}", f"--template.data={data}"]
    command = [binary("amtool"), "template", "render", *flags]
    return subprocess.run(command, cwd=SHIPPED, capture_output=True, text=True, check=True).stdout


def test_message_tells_the_worst_first_then_what_is_over(tmp_path: Path) -> None:
    alerts = (alert(ONE_RESTARTED), alert(ONE_DOWN), alert(ONE_RETRACTING, resolved=True))
    assert rendered(tmp_path, "sglang.title", QWEN, *alerts) == "CRITICAL: SGLangServerDown and 1 more on qwen"
    assert rendered(tmp_path, "sglang.severity", QWEN, *alerts) == "critical"
    assert rendered(tmp_path, "sglang.colour", QWEN, *alerts) == "danger"
    assert rendered(tmp_path, "sglang.link", QWEN, *alerts) == "https://example.com/sglangserverdown.md"
    assert rendered(tmp_path, "sglang.text", QWEN, *alerts) == (
        "CRITICAL SGLangServerDown: SGLangServerDown, 93%.\n"
        "Since 2026-11-29 10:00 UTC, seen by box:17461\n"
        "What to do: https://example.com/sglangserverdown.md\n"
        "\n"
        "INFO SGLangServerRestarted: SGLangServerRestarted, 93%.\n"
        "Since 2026-11-29 10:00 UTC, seen by box:17461\n"
        "What to do: https://example.com/sglangserverrestarted.md\n"
        "\n"
        "OVER SGLangKVCacheRetracting: no longer: Of SGLangKVCacheRetracting.\n"
        "From 2026-11-29 10:00 UTC until 2026-11-29 10:30 UTC, seen by box:17461"
    )


@pytest.mark.parametrize(
    ("alerts", "title", "severity", "colour"),
    [
        ([alert(ONE_RETRACTING)], "WARNING: SGLangKVCacheRetracting on qwen", "warning", "warning"),
        ([alert(ONE_RESTARTED)], "INFO: SGLangServerRestarted on qwen", "info", "#439fe0"),
        (
            [alert(ONE_RESTARTED), alert(ONE_RETRACTING)],
            "WARNING: SGLangKVCacheRetracting and 1 more on qwen",
            "warning",
            "warning",
        ),
        ([alert(ONE_DOWN, resolved=True)], "RESOLVED: SGLangServerDown on qwen", "info", "good"),
    ],
)
def test_title_of_a_server(
    alerts: list[dict[str, object]], title: str, severity: str, colour: str, tmp_path: Path
) -> None:
    assert rendered(tmp_path, "sglang.title", QWEN, *alerts) == title
    assert rendered(tmp_path, "sglang.severity", QWEN, *alerts) == severity
    assert rendered(tmp_path, "sglang.colour", QWEN, *alerts) == colour


def test_exporters_that_fail_together_are_one_message(tmp_path: Path) -> None:
    group = {"job": "sglang-exporter", "alertname": "SGLangExporterDown"}
    down = [
        alert({"labels": {**group, "instance": f"box-{number}:17461", "severity": "critical"}}) for number in range(37)
    ]
    assert rendered(tmp_path, "sglang.title", group, *down) == "CRITICAL: SGLangExporterDown, 37 times"
    assert rendered(tmp_path, "sglang.title", group, down[0]) == "CRITICAL: SGLangExporterDown on box:17461"
