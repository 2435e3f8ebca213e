"""A fleet of exporters under a real Prometheus with the shipped rules.

EXPORTERS and MINUTES say how many and how long (`make fleet`: 500 for 5). Speed is told, and only in that run held to a second: the
quickest evaluation of each group, all groups together, so that what else the machine does is not measured.
"""

import json
import os
import re
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple
from urllib.request import urlopen

import pytest
import yaml

from grafana.timing import seconds_of_queries
from support.fleet import Fleet, serving
from support.fleet_boxes import BOXES
from support.golden import Golden
from support.prometheus import PrometheusServer

ROOT = Path(__file__).parents[2]
SHIPPED = ROOT / "prometheus"
FLEET_DASHBOARD = ROOT / "grafana" / "json" / "sglang-fleet.json"
EXPORTERS = int(os.environ.get("EXPORTERS", "20"))
MINUTES = float(os.environ.get("MINUTES", "0.2"))
LONG = MINUTES >= 5
EXPECTED_SECONDS = 1.0
TABLE = re.compile(r"(?<=<!-- cardinality -->\n).*(?=<!-- /cardinality -->)", re.DOTALL)
SAMPLE = re.compile(r'^(\w+)\{rule_group="[^"]*/([^"/]+);([^"]+)"\} (\S+)$', re.MULTILINE)


class Groups(NamedTuple):
    """What Prometheus says of its rule groups, by name."""

    seconds: dict[str, float]
    failures: dict[str, float]


def groups(server: PrometheusServer) -> Groups:
    with urlopen(f"{server.url}/metrics", timeout=10) as answer:
        found = SAMPLE.findall(answer.read().decode())

    def told(metric: str) -> dict[str, float]:
        return {group: float(value) for name, _, group, value in found if name == metric}

    return Groups(
        told("prometheus_rule_group_last_duration_seconds"),
        told("prometheus_rule_evaluation_failures_total"),
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
    seconds: dict[str, list[float]] = {}
    with (
        serving(fleet) as port,
        PrometheusServer(tmp_path, config(tmp_path, fleet, port), rules(tmp_path)) as server,
    ):
        server.wait(lambda: _all_scraped(server), 90, "all are scraped")
        end = time.monotonic() + MINUTES * 60
        while time.monotonic() < end:
            server.run_on(2.0)
            if time.monotonic() < end - MINUTES * 30:
                continue  # rates over minutes have little to look at yet
            for name, last in groups(server).seconds.items():
                seconds.setdefault(name, []).append(last)
        said = groups(server)
        assert unhealthy(server) == []
        assert set(said.failures.values()) <= {0.0}
        assert server.query("count by (alertname) (ALERTS)"), "nothing is even pending, though a tenth is in trouble"
        asked = dict(seconds_of_queries(FLEET_DASHBOARD, server, time.time()))
        kept = server.query('count by (instance) ({job="sglang-exporter"})')
        evaluated = {name for name, each in seconds.items() if max(each) > 0}
    assert evaluated == _group_names()
    _tell(seconds, {row["metric"]["instance"]: float(row["value"][1]) for row in kept}, fleet)
    slowest = max(asked, key=asked.__getitem__)
    print(f"slowest query of the fleet dashboard: {slowest}, {asked[slowest] * 1000:.0f} ms")
    if LONG:
        assert asked[slowest] < EXPECTED_SECONDS, asked
        assert sum(_quickest(seconds).values()) < EXPECTED_SECONDS


def _all_scraped(server: PrometheusServer) -> bool:
    up = server.query('count(up{job="sglang-exporter"} == 1)')
    return bool(up) and float(up[0]["value"][1]) == EXPORTERS


def _group_names() -> set[str]:
    documents = [yaml.safe_load(path.read_text()) for path in SHIPPED.glob("rules/*.yml")]
    return {group["name"] for document in documents for group in document["groups"]}


def _quickest(seconds: dict[str, list[float]]) -> dict[str, float]:
    """Return the quickest evaluation of each group that looked at something."""
    return {name: min(last for last in each if last > 0) for name, each in seconds.items()}


def _tell(seconds: dict[str, list[float]], kept: dict[str, float], fleet: Fleet) -> None:
    quickest = _quickest(seconds)
    for name, each in sorted(seconds.items()):
        print(f"{name}: {quickest[name]:.3f} s at best, {median(each):.3f} s at the median, {max(each):.3f} s at worst")
    print(f"all groups: {sum(quickest.values()):.3f} s at best; {sum(kept.values()):.0f} series")
    for target in fleet.targets[: len(fleet.series())]:
        print(f"{target.kind}: {fleet.series()[target.kind]} series, {kept[target.instance]:.0f} with what is recorded")


def cardinality() -> str:
    """Return the table of docs/metrics.md: series on the page of each kind of box, and what a part of one adds."""
    counts = Fleet(len(BOXES)).series()
    plain, online = counts["one server, one data set"], counts["one online server"]
    ranks, engines = counts["eight DP ranks, one data set"], counts["four engines of Ray"]
    counts["each further DP rank"] = round((ranks - plain) / 7)
    counts["each further engine"] = round((engines - online) / 3)
    counts["each data set"] = plain - online
    rows = "".join(f"| {kind} | {count} |\n" for kind, count in counts.items())
    return f"| one exporter that follows | series on its page |\n|---|---|\n{rows}"


def test_the_page_of_metrics_states_how_many_series_there_are(golden: Golden) -> None:
    page = ROOT / "docs/metrics.md"
    golden.check(page, TABLE.sub(lambda _: cardinality(), page.read_text()))
