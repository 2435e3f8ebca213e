"""The shipped Alertmanager configuration: who is told, what is held back, what the message says."""

import json
import subprocess
from pathlib import Path

import pytest

from support.prometheus import Alertmanager, binary

SHIPPED = Path(__file__).parents[2] / "prometheus"
QWEN = {"job": "sglang-exporter", "instance": "box:17461", "server": "qwen"}
LLAMA = {**QWEN, "server": "llama"}
ANNOTATIONS = {
    "summary": "The KV cache of an SGLang server stays above its threshold.",
    "description": "The KV cache of qwen is full.",
    "runbook_url": "https://example.com/runbook.md",
}

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
        {"alertname": "SGLangExporterSourceDown", "severity": "warning", "source": "qwen", **QWEN, "server": ""},
    ) == {("SGLangServerErrors", "qwen")}


def test_exporter_that_is_down_silences_all_that_it_said(tmp_path: Path) -> None:
    exporter = {"job": QWEN["job"], "instance": QWEN["instance"]}
    assert silenced(
        tmp_path,
        {"alertname": "SGLangExporterDown", "severity": "critical", **exporter},
        {"alertname": "SGLangServerStalled", "severity": "critical", **QWEN},
        {"alertname": "SGLangServerStalled", "severity": "critical", **LLAMA, "instance": "other:17461"},
        {"alertname": "NodeDown", "severity": "critical", **exporter},
    ) == {("SGLangServerStalled", "qwen")}


def test_critical_alert_silences_the_warning_of_the_same_name(tmp_path: Path) -> None:
    assert silenced(
        tmp_path,
        {"alertname": "SGLangServerErrors", "severity": "critical", **QWEN},
        {"alertname": "SGLangServerErrors", "severity": "warning", **QWEN},
        {"alertname": "SGLangKVCacheSaturated", "severity": "warning", **QWEN},
    ) == {("SGLangServerErrors", "qwen")}


def test_every_alert_goes_to_the_webhook() -> None:
    command = [binary("amtool"), "config", "routes", "test", "--config.file=alertmanager.yml", "severity=info"]
    done = subprocess.run(command, cwd=SHIPPED, capture_output=True, text=True, check=True)
    assert done.stdout == "webhook\n"


def rendered(folder: Path, template: str, status: str, *alerts: dict[str, object]) -> str:
    """Return a template of the shipped file as Alertmanager fills it in."""
    data = folder / "notification.json"
    labels = {"alertname": "SGLangKVCacheSaturated", **QWEN}
    notification = {
        "status": status,
        "groupLabels": {name: labels[name] for name in ("alertname", "job", "server")},
        "commonLabels": {**labels, "severity": "warning"},
        "alerts": [{"labels": labels, "annotations": ANNOTATIONS, **alert} for alert in alerts],
    }
    data.write_text(json.dumps(notification))
    call = f'{{{{ template "{template}" . }}}}'
    flags = ["--template.glob=templates/*.tmpl", f"--template.text={call}", f"--template.data={data}"]
    command = [binary("amtool"), "template", "render", *flags]
    return subprocess.run(command, cwd=SHIPPED, capture_output=True, text=True, check=True).stdout


FIRING: dict[str, object] = {"status": "firing", "startsAt": "2026-11-29T10:00:00Z"}
RESOLVED: dict[str, object] = {
    "status": "resolved",
    "startsAt": "2026-11-29T09:00:00Z",
    "endsAt": "2026-11-29T10:30:00Z",
}


def test_message_says_what_where_since_when_and_what_to_do(tmp_path: Path) -> None:
    assert rendered(tmp_path, "sglang.title", "firing", FIRING) == "WARNING: SGLangKVCacheSaturated on qwen"
    assert rendered(tmp_path, "sglang.text", "firing", FIRING, RESOLVED) == (
        "The KV cache of qwen is full.\n"
        "Since 2026-11-29 10:00 UTC, seen by box:17461\n"
        "What to do: https://example.com/runbook.md\n"
        "\n"
        "No longer: The KV cache of an SGLang server stays above its threshold.\n"
        "Since 2026-11-29 09:00 UTC until 2026-11-29 10:30 UTC, seen by box:17461\n"
        "What to do: https://example.com/runbook.md"
    )


def test_title_counts_what_fires_and_says_when_it_is_over(tmp_path: Path) -> None:
    firing = rendered(tmp_path, "sglang.title", "firing", FIRING, FIRING)
    assert firing == "WARNING: SGLangKVCacheSaturated on qwen (2 firing)"
    assert rendered(tmp_path, "sglang.title", "resolved", RESOLVED) == "RESOLVED: SGLangKVCacheSaturated on qwen"
