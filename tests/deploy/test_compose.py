"""deploy/compose.yaml agrees with the rest of the repository; no container engine is needed to see that."""

import re
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from sglang_exporter import __version__, cli

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
USERS_LOGS = "${SGLANG_LOGS:-./logs}"


def mounts(service: str) -> dict[PurePosixPath, str]:
    """Return what is mounted where in a service's container; a variable's own colons are not separators."""
    triples = (re.fullmatch(r"(\$\{.*\}|[^:]+):([^:]+)(?::ro)?", volume) for volume in SERVICES[service]["volumes"])
    return {PurePosixPath(triple[2]): triple[1] for triple in triples if triple}


def in_repository(service: str, path: str) -> Path:
    """Return the file of the repository that a service sees under a path: the innermost mount wins."""
    seen = PurePosixPath(path)
    inside = [at for at in mounts(service) if seen.is_relative_to(at)]
    mounted = max(inside, key=lambda at: len(at.parts))
    return (DEPLOY / mounts(service)[mounted] / seen.relative_to(mounted)).resolve()


@pytest.mark.parametrize("service", SERVICES)
def test_every_mount_is_a_folder_of_the_repository_or_a_named_volume(service: str) -> None:
    sources = set(mounts(service).values()) - {USERS_LOGS} - set(COMPOSE["volumes"])
    assert len(mounts(service)) == len(SERVICES[service]["volumes"])
    assert all((DEPLOY / source).is_dir() for source in sources), sources


def test_every_named_volume_is_mounted() -> None:
    assert set(COMPOSE["volumes"]) <= {source for service in SERVICES for source in mounts(service).values()}


@pytest.mark.parametrize("service", SERVICES)
def test_image_is_pinned_to_a_release(service: str) -> None:
    assert re.fullmatch(r"[\w/-]+:v?\d+\.\d+\.\d+", SERVICES[service]["image"])


@pytest.mark.parametrize("service", SERVICES)
def test_service_has_a_health_check_and_comes_back_after_a_crash(service: str) -> None:
    assert SERVICES[service]["healthcheck"]["test"][0] == "CMD"
    assert SERVICES[service]["restart"] == "unless-stopped"


@pytest.mark.parametrize("service", SERVICES)
def test_ports_are_open_to_this_machine_only(service: str) -> None:
    assert "network_mode" not in SERVICES[service]
    assert all(port.startswith("127.0.0.1:") for port in SERVICES[service]["ports"])


def test_grafana_has_no_default_password() -> None:
    assert SERVICES["grafana"]["environment"]["GF_SECURITY_ADMIN_PASSWORD"].startswith("${GRAFANA_PASSWORD:?")


def test_exporter_sees_the_logs_read_only_and_needs_no_rights() -> None:
    exporter = SERVICES["exporter"]
    assert f"{USERS_LOGS}:/logs:ro" in exporter["volumes"]
    assert (exporter["read_only"], exporter["cap_drop"]) == (True, ["ALL"])
    assert exporter["image"] == f"sglang-exporter:{__version__}"


def test_exporter_takes_the_flags_and_its_health_check_is_a_command() -> None:
    cli.parse(SERVICES["exporter"]["command"])
    program, *arguments = SERVICES["exporter"]["healthcheck"]["test"][1:]
    assert program == "sglang-exporter"
    cli.parse(arguments)


@pytest.mark.parametrize("service", ["prometheus", "alertmanager"])
def test_configuration_file_is_where_the_flag_says(service: str) -> None:
    flags = dict(flag.removeprefix("--").split("=", 1) for flag in SERVICES[service]["command"])
    assert in_repository(service, flags["config.file"]).is_file()
    assert PurePosixPath(flags["storage.tsdb.path" if service == "prometheus" else "storage.path"]) in mounts(service)


def test_prometheus_finds_each_target_under_its_name_in_the_network() -> None:
    replaced = sorted(path.name for path in (ROOT / "prometheus/targets").iterdir())
    assert replaced == sorted(path.name for path in (DEPLOY / "targets").iterdir())
    for name in replaced:
        text = in_repository("prometheus", f"/etc/prometheus/targets/{name}").read_text(encoding="utf-8")
        [[target]] = [group["targets"] for group in yaml.safe_load(text)]
        service, port = target.split(":")
        assert f"127.0.0.1:{port}:{port}" in SERVICES[service]["ports"]


def test_grafana_asks_the_prometheus_beside_it() -> None:
    address = urlsplit(SERVICES["grafana"]["environment"]["PROMETHEUS_URL"])
    assert address.hostname == "prometheus"
    assert f"127.0.0.1:{address.port}:{address.port}" in SERVICES["prometheus"]["ports"]
