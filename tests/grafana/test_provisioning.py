from pathlib import Path
from typing import Any

import yaml

from grafana.committed import GRAFANA

ROOT = GRAFANA.parent


def test_the_data_source_knows_the_scrape_interval() -> None:
    (source,) = _read(GRAFANA / "provisioning/datasources/prometheus.yaml")["datasources"]
    scraping = _read(ROOT / "prometheus/prometheus.yml")["global"]["scrape_interval"]
    assert source["jsonData"]["timeInterval"] == scraping
    assert source["uid"] == "sglang-prometheus"


def test_compose_gives_grafana_what_the_provisioning_asks_for() -> None:
    grafana = _read(ROOT / "deploy/compose.yaml")["services"]["grafana"]
    mounted = dict(volume.split(":")[:2] for volume in grafana["volumes"])
    (source,) = _read(GRAFANA / "provisioning/datasources/prometheus.yaml")["datasources"]
    (provider,) = _read(GRAFANA / "provisioning/dashboards/sglang.yaml")["providers"]
    assert source["url"] == "${PROMETHEUS_URL}"
    assert grafana["environment"]["PROMETHEUS_URL"]
    assert mounted["../grafana/provisioning"] == "/etc/grafana/provisioning"
    assert mounted["../grafana/json"] == provider["options"]["path"]


def test_dashboards_change_only_in_the_repository() -> None:
    (provider,) = _read(GRAFANA / "provisioning/dashboards/sglang.yaml")["providers"]
    assert (provider["allowUiUpdates"], provider["disableDeletion"]) == (False, True)


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
    return content
