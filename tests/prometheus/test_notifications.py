"""A server that crashes, from its log to the message of each kind of receiver: grouped, inhibited, and resolved."""

import re
import time
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest

from support.alerting import SHIPPED, alertmanager, prometheus
from support.exporter import Exporter
from support.receivers import Receivers, all_receivers, receiving, text_of

KINDS = {"webhook", "slack", "email", "pagerduty"}
PATIENCE_SECONDS = 60.0
SPEEDUP = 60  # a quarter of an hour, for which an incident is told, is longer here than the way to a message
RUNBOOKS = "https://github.com/sglang-exporter/sglang-exporter/blob/main/prometheus/runbooks"
DECODE = (
    "Decode batch, #running-req: 150, #token: 350000, token usage: 0.50, cuda graph: True,"
    " gen throughput (token/s): 1351.40, #queue-req: 0"
)
CRASH = "Scheduler hit an exception: Traceback (most recent call last):"
OUT_OF_MEMORY = "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."
START = "server_args=ServerArgs(model_path='/models/tiny', tp_size=1)"
SAID = re.compile(
    r"qwen is down: its log says that it failed [\d.]+(?:s|ms) ago, and it has not started again\."
    r" Incidents of the last 15 minutes: exception, out_of_memory\."
)
SINCE = r"Since \d{4}-\d\d-\d\d \d\d:\d\d UTC, seen by 127\.0\.0\.1:\d+"

Told = dict[str, Any]


def write(log: Path, *messages: str) -> None:
    with log.open("a") as file:
        file.writelines(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}] {message}\n" for message in messages)


def told_of(receivers: Receivers, status: str, seen: list[tuple[str, Any]]) -> Told:
    """Return the message of each kind of receiver that has SGLangServerDown of qwen, firing or resolved."""
    told: Told = {}
    deadline = time.monotonic() + PATIENCE_SECONDS
    while told.keys() != KINDS:
        assert time.monotonic() < deadline, f"only {sorted(told)} were told that it is {status}; seen: {seen}"
        message = receivers.next(1.0)
        if message is None:
            continue
        seen.append(message)
        if tells(message.to, message.body, status):
            told.setdefault(message.to, message.body)
    return told


def tells(kind: str, body: Any, status: str) -> bool:  # noqa: ANN401, JSON or mail
    """Tell whether a message says that SGLangServerDown of qwen is firing, or that it is over."""
    if kind == "webhook":
        alerts = {(alert["labels"]["alertname"], alert["status"]) for alert in body["alerts"]}
        return ("SGLangServerDown", status) in alerts
    if kind == "pagerduty":
        return bool(body["event_action"] == ("trigger" if status == "firing" else "resolve"))
    text = text_of(body) if kind == "email" else body["attachments"][0]["text"]
    return ("CRITICAL SGLangServerDown: " if status == "firing" else "OVER SGLangServerDown: ") in text


@pytest.mark.prometheus
@pytest.mark.slow
@pytest.mark.timeout(200)
def test_crashed_server_is_told_once_to_each_receiver_and_its_end(tmp_path: Path) -> None:
    logs = {name: tmp_path / name / "server.log" for name in ("qwen", "llama")}
    for log in logs.values():
        log.parent.mkdir()
        write(log, START, DECODE)
    config = all_receivers((SHIPPED / "alertmanager.yml").read_text())
    seen: list[tuple[str, Any]] = []
    with (
        receiving() as receivers,
        Exporter(tmp_path, "--log", *logs.values()) as daemon,
        alertmanager(tmp_path / "alertmanager", receivers.configured(config), SPEEDUP) as manager,
        prometheus(tmp_path / "prometheus", daemon.url, manager.url, SPEEDUP) as server,
    ):
        daemon.wait(lambda: bool(server.query('sglang_server_starts_total{server="qwen"}')), 20, "it is scraped")
        write(logs["qwen"], OUT_OF_MEMORY, CRASH)
        firing = told_of(receivers, "firing", seen)
        held_back = {alert["labels"]["alertname"] for alert in manager.alerts() if alert["status"]["inhibitedBy"]}
        before = len(seen)
        write(logs["qwen"], START, DECODE)
        resolved = told_of(receivers, "resolved", seen)

    check_webhook(firing["webhook"])
    check_slack(firing["slack"])
    check_email(firing["email"])
    check_pagerduty(firing["pagerduty"])
    assert held_back == {"SGLangServerErrors"}
    over = "OVER SGLangServerDown: no longer: An SGLang server has failed and has not come back."
    assert over in resolved["slack"]["attachments"][0]["text"]
    assert over in text_of(resolved["email"])
    assert resolved["pagerduty"]["dedup_key"] == firing["pagerduty"]["dedup_key"]
    assert not [kind for kind, body in seen[:before] if "llama" in str(body)]


def check_webhook(body: dict[str, Any]) -> None:
    assert body["groupLabels"].keys() == {"job", "instance", "server"}
    assert body["groupLabels"]["server"] == "qwen"
    down = next(alert for alert in body["alerts"] if alert["labels"]["alertname"] == "SGLangServerDown")
    assert SAID.fullmatch(down["annotations"]["description"])
    assert down["annotations"]["runbook_url"] == f"{RUNBOOKS}/sglangserverdown.md"


def check_slack(body: dict[str, Any]) -> None:
    attachment = body["attachments"][0]
    assert (body["channel"], attachment["color"]) == ("#sglang", "danger")
    assert attachment["title"] == "CRITICAL: SGLangServerDown on qwen"
    assert attachment["title_link"] == f"{RUNBOOKS}/sglangserverdown.md"
    check_text(attachment["text"])


def check_email(body: EmailMessage) -> None:
    assert (body["To"], body["Subject"]) == ("you@example.com", "CRITICAL: SGLangServerDown on qwen")
    check_text(text_of(body))


def check_pagerduty(body: dict[str, Any]) -> None:
    payload = body["payload"]
    assert payload["summary"] == "CRITICAL: SGLangServerDown on qwen"
    assert (payload["severity"], payload["component"]) == ("critical", "qwen")
    assert body["client_url"] == f"{RUNBOOKS}/sglangserverdown.md"
    check_text(payload["custom_details"]["firing"])


def check_text(text: str) -> None:
    """Check the one message: what, since when, where it is seen, what to do, and nothing of what it silences."""
    first, since, what = text.splitlines()[:3]
    assert SAID.fullmatch(first.removeprefix("CRITICAL SGLangServerDown: ")), text
    assert re.fullmatch(SINCE, since)
    assert what == f"What to do: {RUNBOOKS}/sglangserverdown.md"
