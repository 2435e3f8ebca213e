"""The shipped Prometheus and Alertmanager with waiting times cut short, so that a test sees an alert through."""

import json
import re
import shutil
from pathlib import Path

from support.prometheus import Alertmanager, PrometheusServer

SHIPPED = Path(__file__).parents[2] / "prometheus"
SPEEDUP = 120

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_DURATION = re.compile(
    r"((?:for|keep_firing_for|group_wait|group_interval|repeat_interval|interval): |\[|offset )(\d+)([smhd])\b"
)


def shortened(text: str, speedup: int = SPEEDUP) -> str:
    """Return rules or an Alertmanager configuration in which every waiting time and range is that much shorter."""
    return _DURATION.sub(lambda d: f"{d[1]}{1000 * int(d[2]) * _SECONDS[d[3]] // speedup}ms", text)


def alertmanager(folder: Path, config: str, speedup: int = SPEEDUP) -> Alertmanager:
    """Return Alertmanager with a configuration made of the shipped one, and the shipped templates."""
    return Alertmanager(folder, shortened(config, speedup), SHIPPED.glob("templates/*"))


def prometheus(folder: Path, exporter_url: str, alertmanager_url: str, speedup: int = SPEEDUP) -> PrometheusServer:
    """Return Prometheus with the shipped configuration and rules; it scrapes and evaluates each second."""
    for name, url in (("sglang-exporter", exporter_url), ("alertmanager", alertmanager_url)):
        target = folder / "targets" / f"{name}.yml"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(json.dumps([{"targets": [url.removeprefix("http://")]}]))
    rules = folder / "shortened"
    shutil.copytree(SHIPPED / "rules", rules)
    for path in rules.iterdir():
        path.write_text(shortened(path.read_text(), speedup))
    config = (SHIPPED / "prometheus.yml").read_text().replace("_interval: 15s", "_interval: 1s")
    return PrometheusServer(folder, config, rules.iterdir())
