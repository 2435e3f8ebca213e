"""The saturated part of a recording, all the way to a notification, and back when usage falls."""

import itertools
import json
import queue
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.exporter import Exporter
from support.prometheus import Alertmanager, PrometheusServer

SHIPPED = Path(__file__).parents[2] / "prometheus"
DATA = Path(__file__).parent / "data"
SHIPPED_WEBHOOK = "http://127.0.0.1:9099/"

UNITS = {"s": 1, "m": 60, "h": 3600}
DURATION = re.compile(r"((?:for|keep_firing_for|group_wait|group_interval|repeat_interval): |\[)(\d+)([smh])\b")
SPEEDUP = 120
LINE_SECONDS = 0.2
PATIENCE_SECONDS = 25.0
TEXT = re.compile(
    r"The KV cache of box-7 has been at (\d+)% or more for 5 minutes \(pool kv\), with (\d+) requests running and"
    r" (\d+) queued\. With users waiting \(profile online\) it is trouble: .+"
)


def shortened(text: str) -> str:
    """Return rules or an Alertmanager configuration in which every waiting time and range is 120 times shorter."""
    return DURATION.sub(lambda d: f"{d[1]}{1000 * int(d[2]) * UNITS[d[3]] // SPEEDUP}ms", text)


class Webhook(ThreadingHTTPServer):
    """Takes Alertmanager's notifications and hands out their alerts."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Receiver)
        self.alerts: queue.Queue[dict[str, Any]] = queue.Queue()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/"

    def next(self, seconds: float, name: str, status: str) -> dict[str, Any] | None:
        """Return the next alert of that name and status, or None when the next alert within the time is none."""
        try:
            alert = self.alerts.get(timeout=seconds)
        except queue.Empty:
            return None
        return alert if (alert["labels"]["alertname"], alert["status"]) == (name, status) else None


class _Receiver(BaseHTTPRequestHandler):
    server: Webhook

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        for alert in body["alerts"]:
            self.server.alerts.put(alert)
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def listening() -> Iterator[Webhook]:
    with Webhook() as webhook:
        thread = threading.Thread(target=webhook.serve_forever)
        thread.start()
        try:
            yield webhook
        finally:
            webhook.shutdown()
            thread.join()


def alertmanager(folder: Path, webhook: Webhook) -> Alertmanager:
    config = (SHIPPED / "alertmanager.yml").read_text()
    assert SHIPPED_WEBHOOK in config
    return Alertmanager(folder, shortened(config).replace(SHIPPED_WEBHOOK, webhook.url), SHIPPED.glob("templates/*"))


def prometheus(folder: Path, exporter_url: str, alertmanager_url: str) -> PrometheusServer:
    """Return Prometheus with the shipped configuration and rules; it scrapes and evaluates each second."""
    for name, url in (("sglang-exporter", exporter_url), ("alertmanager", alertmanager_url)):
        target = folder / "targets" / f"{name}.yml"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps([{"targets": [url.removeprefix("http://")]}]))
    rules = folder / "shortened"
    shutil.copytree(SHIPPED / "rules", rules)
    for path in rules.iterdir():
        path.write_text(shortened(path.read_text()))
    config = (SHIPPED / "prometheus.yml").read_text().replace("_interval: 15s", "_interval: 1s")
    return PrometheusServer(folder, config, rules.iterdir())


def written_until(webhook: Webhook, status: str, log: Path, lines: list[str]) -> dict[str, Any]:
    """Write the lines again and again, as of now, until the alert comes with that status; return the alert."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    for line in itertools.cycle(lines):
        with log.open("a") as file:
            file.write(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}]{line.partition(']')[2]}\n")
        alert = webhook.next(LINE_SECONDS, "SGLangKVCacheSaturated", status)
        if alert:
            return alert
        assert time.monotonic() < deadline, f"no alert is {status}"
    raise AssertionError("there are no lines")


def values(field: str, lines: list[str]) -> set[int]:
    """Return what the lines say of a field: a count, or a usage in per cent."""
    found = [re.search(rf"{field}: (\d+)(\.\d+)?", line) for line in lines]
    return {round(float(match[1] + match[2]) * 100) if match[2] else int(match[1]) for match in found if match}


@pytest.mark.prometheus
@pytest.mark.slow
@pytest.mark.timeout(60)
def test_saturated_server_notifies_and_is_resolved_when_usage_falls(tmp_path: Path) -> None:
    saturated = (DATA / "saturated.log").read_text().splitlines()
    relieved = (DATA / "relieved.log").read_text().splitlines()
    log = tmp_path / "box-7" / "server.log"
    log.parent.mkdir()
    log.touch()
    with (
        listening() as webhook,
        Exporter(tmp_path, "--log", log) as daemon,
        alertmanager(tmp_path / "alertmanager", webhook) as manager,
        prometheus(tmp_path / "prometheus", daemon.url, manager.url),
    ):
        firing = written_until(webhook, "firing", log, saturated)
        resolved = written_until(webhook, "resolved", log, relieved)

    said = TEXT.fullmatch(firing["annotations"]["description"])
    assert said, firing["annotations"]["description"]
    usage, running, queued = map(int, said.groups())
    assert usage in values("token usage", saturated)
    assert running in values("#running-req", saturated)
    assert queued in values("#queue-req", saturated)
    assert (firing["labels"]["server"], firing["labels"]["profile"]) == ("box-7", "online")
    assert firing["labels"]["instance"] == daemon.url.removeprefix("http://")
    assert resolved["fingerprint"] == firing["fingerprint"]
    assert resolved["startsAt"] == firing["startsAt"] < resolved["endsAt"]
