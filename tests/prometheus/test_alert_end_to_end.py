"""The saturated part of a recording, all the way to a notification, and back when usage falls."""

import itertools
import re
import time
from pathlib import Path
from typing import Any

import pytest

from support.alerting import SHIPPED, alertmanager, prometheus
from support.exporter import Exporter
from support.receivers import Receivers, receiving

DATA = Path(__file__).parent / "data"
LINE_SECONDS = 0.2
PATIENCE_SECONDS = 25.0
TEXT = re.compile(
    r"The KV cache of box-7 has been at (\d+)% or more for 5 minutes \(pool kv\), with (\d+) requests running and"
    r" (\d+) queued\. With users waiting \(profile online\) it is trouble: .+"
)


def saturation(receivers: Receivers, status: str) -> dict[str, Any] | None:
    """Return the alert on saturation out of the next message, when it is there with that status."""
    message = receivers.next(LINE_SECONDS)
    alerts: list[dict[str, Any]] = message.body["alerts"] if message else []
    wanted = ("SGLangKVCacheSaturated", status)
    return next((alert for alert in alerts if (alert["labels"]["alertname"], alert["status"]) == wanted), None)


def written_until(receivers: Receivers, status: str, log: Path, lines: list[str]) -> dict[str, Any]:
    """Write the lines again and again, as of now, until the alert comes with that status; return the alert."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    for line in itertools.cycle(lines):
        with log.open("a") as file:
            file.write(f"[{time.strftime('%Y-%m-%d %H:%M:%S')}]{line.partition(']')[2]}\n")
        alert = saturation(receivers, status)
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
    config = (SHIPPED / "alertmanager.yml").read_text()
    with (
        receiving() as receivers,
        Exporter(tmp_path, "--log", log) as daemon,
        alertmanager(tmp_path / "alertmanager", receivers.configured(config)) as manager,
        prometheus(tmp_path / "prometheus", daemon.url, manager.url),
    ):
        firing = written_until(receivers, "firing", log, saturated)
        resolved = written_until(receivers, "resolved", log, relieved)

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
