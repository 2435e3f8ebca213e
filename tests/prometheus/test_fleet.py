"""A fleet of exporters under a real Prometheus with the shipped rules.

EXPORTERS and MINUTES say how many and how long (`make fleet`: 500 for 5). Speed is told, and held to a second only in that run.
"""

import json
import os
import re
import time
from pathlib import Path
from typing import NamedTuple
from urllib.request import urlopen

import pytest
import yaml

from support.fleet import Fleet, serving
from support.fleet_boxes import BOXES
from support.golden import Golden
from support.prometheus import PrometheusServer

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "prometheus"
EXPORTERS = int(os.environ.get("EXPORTERS", "20"))
MINUTES = float(os.environ.get("MINUTES", "0.4"))
LONG = MINUTES >= 5
EXPECTED_SECONDS = 1.0
TABLE = re.compile(r"(?<=<!-- cardinality -->\n).*(?=<!-- /cardinality -->)", re.DOTALL)
SAMPLE = re.compile(r'^(\w+)\{rule_group="[^"]*/([^"/]+);([^"]+)"\} (\S+)$', re.MULTILINE)


class Groups(NamedTuple):
    """What Prometheus says of its rule groups, by name."""

    seconds: dict[str, float]
    failures: dict[str, float]
    missed: dict[str, float]


def groups(server: PrometheusServer) -> Groups:
    with urlopen(f"{server.url}/metrics", timeout=10) as answer:
        found = SAMPLE.findall(answer.read().decode())

    def told(metric: str) -> dict[str, float]:
        return {group: float(value) for name, _, group, value in found if name == metric}

    return Groups(
        told("prometheus_rule_group_last_duration_seconds"),
        told("prometheus_rule_evaluation_failures_total"),
        told("prometheus_rule_group_iterations_missed_total"),
    )


def config(folder: Path, fleet: Fleet, port: int) -> str:
    """Return the shipped configuration with the fleet as its targets; a short run scrapes and evaluates each second or two."""
    (folder / "targets").mkdir()
    (folder / "targets" / "sglang-exporter.yml").write_text(json.dumps(fleet.file_sd(port)))
    (folder / "targets" / "alertmanager.yml").write_text("[]")
    text = (SHIPPED / "prometheus.yml").read_text()
    return text if LONG else text.replace("_interval: 15s", "_interval: 2s")


def rules(folder: Path) -> list[Path]:
    """Return the shipped rules; in a short run the group that is seldom evaluated is evaluated as often as the others."""
    (folder / "shipped").mkdir()
    for path in SHIPPED.glob("rules/*.yml"):
        text = path.read_text()
        (folder / "shipped" / path.name).write_text(text if LONG else text.replace("interval: 5m", "interval: 2s"))
    return list((folder / "shipped").iterdir())


def unhealthy(server: PrometheusServer) -> list[str]:
    """Return the rules that could not be evaluated, and why: many-to-many matching is one reason."""
    found = server.get("/api/v1/rules")["data"]["groups"]
    return [
        f"{rule['name']}: {rule['lastError']}" for group in found for rule in group["rules"] if rule["health"] == "err"
    ]


@pytest.mark.prometheus
@pytest.mark.slow
@pytest.mark.timeout(max(120, MINUTES * 60 + 120))
def test_rules_hold_for_a_fleet(tmp_path: Path) -> None:
    fleet = Fleet(EXPORTERS)
    worst: dict[str, float] = {}
    with (
        serving(fleet) as port,
        PrometheusServer(tmp_path, config(tmp_path, fleet, port), rules(tmp_path)) as server,
    ):
        end = time.monotonic() + MINUTES * 60
        server.wait(lambda: _all_scraped(server) or time.monotonic() > end + 60, MINUTES * 60 + 60, "all are scraped")
        while time.monotonic() < end:
            server.run_on(2.0)
            worst = {name: max(seconds, worst.get(name, 0.0)) for name, seconds in groups(server).seconds.items()}
        said = groups(server)
        assert unhealthy(server) == []
        assert set(said.failures.values()) <= {0.0}
        assert server.query("count by (alertname) (ALERTS)"), "nothing is even pending, though a tenth is in trouble"
        kept = server.query('count by (instance) ({job="sglang-exporter"})')
        evaluated = {name for name in worst if worst[name] > 0}
    assert evaluated == _group_names()
    _tell(worst, {row["metric"]["instance"]: float(row["value"][1]) for row in kept}, fleet)
    if LONG:
        assert sum(worst.values()) < EXPECTED_SECONDS, worst
        assert set(said.missed.values()) <= {0.0}


def _all_scraped(server: PrometheusServer) -> bool:
    up = server.query('count(up{job="sglang-exporter"} == 1)')
    return bool(up) and float(up[0]["value"][1]) == EXPORTERS


def _group_names() -> set[str]:
    documents = [yaml.safe_load(path.read_text()) for path in SHIPPED.glob("rules/*.yml")]
    return {group["name"] for document in documents for group in document["groups"]}


def _tell(worst: dict[str, float], kept: dict[str, float], fleet: Fleet) -> None:
    for name, seconds in sorted(worst.items()):
        print(f"{name}: {seconds * 1000:.0f} ms at most")
    print(f"all groups: {sum(worst.values()) * 1000:.0f} ms at most, {sum(kept.values()):.0f} series")
    for target in fleet.targets[: len(fleet.series())]:
        print(
            f"{target.kind}: {fleet.series()[target.kind]} series on the page, {kept[target.instance]:.0f} in Prometheus"
        )


def cardinality() -> str:
    """Return the README's table: series on the page of each kind of box, and what a part of one adds."""
    counts = Fleet(len(BOXES)).series()
    plain, online = counts["one server, one data set"], counts["one online server"]
    ranks, engines = counts["eight DP ranks, one data set"], counts["four engines of Ray"]
    counts["each further DP rank"] = round((ranks - plain) / 7)
    counts["each further engine"] = round((engines - online) / 3)
    counts["each data set"] = plain - online
    rows = "".join(f"| {kind} | {count} |\n" for kind, count in counts.items())
    return f"| one exporter that follows | series on its page |\n|---|---|\n{rows}"


def test_the_readme_states_how_many_series_there_are(golden: Golden) -> None:
    readme = ROOT / "README.md"
    golden.check(readme, TABLE.sub(lambda _: cardinality(), readme.read_text()))
