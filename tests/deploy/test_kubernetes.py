"""deploy/kubernetes holds against the published schemas and the restricted pod security standard, and is made of the shipped files."""

import os
import re
import runpy
import shutil
import signal
import subprocess
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml

from sglang_exporter import __version__, cli

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy/kubernetes"
OLDEST = "1.29"  # the first with native sidecars
PORT = 17461
APPLY_LIMIT = 256 * 1024
BY_OPERATOR = "monitoring.coreos.com/v1"


def read(name: str) -> dict[str, Any]:
    return dict(yaml.safe_load((FOLDER / name).read_text(encoding="utf-8")))


SERVER = read("example/server.yaml")
SIDECAR = read("sidecar/sidecar.yaml")["spec"]["template"]
WEB = read("web-config/web-config.yaml")["spec"]["template"]["spec"]
POLICY = read("example/networkpolicy.yaml")
MONITOR = read("monitoring/podmonitor.yaml")


def merged() -> dict[str, Any]:
    """Return the example with the exporter beside it, as kustomize has to make it."""
    template = SERVER["spec"]["template"]
    labels = template["metadata"]["labels"] | SIDECAR["metadata"]["labels"]
    volumes = SIDECAR["spec"]["volumes"] + template["spec"]["volumes"]
    spec = template["spec"] | {"initContainers": SIDECAR["spec"]["initContainers"], "volumes": volumes}
    whole = {"metadata": {"labels": labels}, "spec": spec}
    return SERVER | {"spec": SERVER["spec"] | {"template": whole}}


POD = merged()["spec"]["template"]["spec"]
CONTAINERS = [*POD["initContainers"], *POD["containers"]]
EXPORTER, SGLANG = CONTAINERS


def rendered(folder: Path) -> list[dict[str, Any]]:
    """Return the resources that kubectl makes of a kustomization."""
    if shutil.which("kubectl") is None:
        pytest.skip("kubectl is not installed; the files by themselves are tested all the same")
    made = subprocess.run(["kubectl", "kustomize", folder], check=True, capture_output=True, text=True)
    return list(yaml.safe_load_all(made.stdout))


def guarded() -> dict[str, Any]:
    """Return the example with the exporter beside it and a web configuration, as kustomize has to make it."""
    [patch] = WEB["initContainers"]
    probe = {key: value for key, value in (EXPORTER["livenessProbe"] | patch["livenessProbe"]).items() if value}
    mounts = EXPORTER["volumeMounts"] + patch["volumeMounts"]
    exporter = EXPORTER | {"args": patch["args"], "livenessProbe": probe, "volumeMounts": mounts}
    spec = POD | {"initContainers": [exporter], "volumes": POD["volumes"] + WEB["volumes"]}
    whole = merged()
    return whole | {"spec": whole["spec"] | {"template": whole["spec"]["template"] | {"spec": spec}}}


@pytest.mark.parametrize("version", [OLDEST, kubernetes_validate.latest_version()])
@pytest.mark.parametrize(
    "resource", [merged(), guarded(), POLICY, read("example/namespace.yaml")], ids=lambda each: each["kind"]
)
def test_a_resource_holds_against_the_schema(resource: dict[str, Any], version: str) -> None:
    kubernetes_validate.validate(resource, version, strict=True)


def test_the_schema_refuses_a_key_that_is_misspelt() -> None:
    wrong = merged() | {"spec": merged()["spec"] | {"replica": 1}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, OLDEST, strict=True)


@pytest.mark.parametrize("container", CONTAINERS, ids=lambda each: each["name"])
def test_a_container_is_restricted(container: dict[str, Any]) -> None:
    """The controls of the pod security standard `restricted`, which the example's namespace enforces."""
    own = container["securityContext"]
    context = POD["securityContext"] | own
    assert own["allowPrivilegeEscalation"] is False
    assert own["capabilities"] == {"drop": ["ALL"]}
    assert context["runAsNonRoot"] is True
    assert context["runAsUser"] > 0
    assert context["seccompProfile"] == {"type": "RuntimeDefault"}
    assert not {"privileged", "procMount", "seLinuxOptions"} & context.keys()
    assert not any("hostPort" in port for port in container["ports"])


def test_the_pod_takes_nothing_of_its_host() -> None:
    assert not {"hostNetwork", "hostPID", "hostIPC"} & POD.keys()
    assert all(set(volume) - {"name"} == {"emptyDir"} for volume in POD["volumes"])
    labels = read("example/namespace.yaml")["metadata"]["labels"]
    assert labels["pod-security.kubernetes.io/enforce"] == "restricted"


def test_the_exporter_is_a_native_sidecar_that_reads_what_the_server_writes() -> None:
    assert EXPORTER["restartPolicy"] == "Always"
    assert not {"startupProbe", "readinessProbe"} & EXPORTER.keys()
    assert EXPORTER["securityContext"]["readOnlyRootFilesystem"] is True
    shared = {mount["mountPath"]: mount for mount in EXPORTER["volumeMounts"]}["/logs"]
    assert shared == {"name": "sglang-logs", "mountPath": "/logs", "readOnly": True}
    assert {"name": "sglang-logs", "mountPath": "/logs"} in SGLANG["volumeMounts"]
    assert {mount["name"] for each in CONTAINERS for mount in each["volumeMounts"]} == {
        v["name"] for v in POD["volumes"]
    }


def test_the_exporter_is_that_of_the_dockerfile_and_takes_its_flags() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    user, group = re.findall(r"^USER (\d+):(\d+)$", dockerfile, re.MULTILINE)[-1]
    context = EXPORTER["securityContext"]
    assert (context["runAsUser"], context["runAsGroup"]) == (int(user), int(group))
    [state] = re.findall(r"^VOLUME (.+)$", dockerfile, re.MULTILINE)
    assert state in {mount["mountPath"] for mount in EXPORTER["volumeMounts"]}
    assert EXPORTER["image"] == f"sglang-exporter:{__version__}"
    cli.parse(EXPORTER["args"])


def test_with_a_web_configuration_the_exporter_follows_the_same_and_is_asked_without_http() -> None:
    [exporter] = guarded()["spec"]["template"]["spec"]["initContainers"]
    assert exporter["args"][:-1] == EXPORTER["args"]
    cli.parse(exporter["args"])
    program, *arguments = exporter["livenessProbe"]["exec"]["command"]
    assert program == "sglang-exporter"
    cli.parse(arguments)
    flag, _, file = exporter["args"][-1].partition("=")
    [mount] = [each for each in exporter["volumeMounts"] if Path(file).is_relative_to(each["mountPath"])]
    assert (flag, mount["readOnly"]) == ("--web.config.file", True)
    assert mount["name"] in {volume["name"] for volume in WEB["volumes"] if "secret" in volume}


def test_one_port_is_opened_scraped_and_let_through() -> None:
    [port] = EXPORTER["ports"]
    assert port["containerPort"] == PORT
    [endpoint] = MONITOR["spec"]["podMetricsEndpoints"]
    assert endpoint["port"] == EXPORTER["livenessProbe"]["httpGet"]["port"] == port["name"]
    prometheus, everybody = POLICY["spec"]["ingress"]
    assert prometheus["ports"] == [{"port": PORT}]
    assert everybody["ports"] == [{"port": each["containerPort"]} for each in SGLANG["ports"]]
    for selector in (MONITOR["spec"]["selector"], POLICY["spec"]["podSelector"]):
        assert selector["matchLabels"] == SIDECAR["metadata"]["labels"]


def test_the_job_is_the_one_that_the_alerts_select() -> None:
    [endpoint] = MONITOR["spec"]["podMetricsEndpoints"]
    jobs = [rule["replacement"] for rule in endpoint["relabelings"] if rule["targetLabel"] == "job"]
    [scraped] = yaml.safe_load((ROOT / "prometheus/prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
    assert jobs == [scraped["job_name"]]


def test_the_rules_are_the_shipped_ones() -> None:
    wanted: dict[Path, str] = runpy.run_path(str(FOLDER / "generate.py"))["wanted"]()
    assert len(wanted) == len(list((ROOT / "prometheus/rules").iterdir()))
    for path, text in wanted.items():
        assert path.read_text(encoding="utf-8") == text, f"make manifests writes {path.name} anew"
        made, rules = yaml.safe_load(text), yaml.safe_load((ROOT / f"prometheus/rules/{path.stem}.yml").read_text())
        assert (made["apiVersion"], made["kind"], made["spec"]) == (BY_OPERATOR, "PrometheusRule", rules)
        assert path.name in read("monitoring/kustomization.yaml")["resources"]


def test_each_dashboard_is_a_config_map_that_kubectl_can_apply() -> None:
    made = yaml.safe_load((ROOT / "grafana/kustomization.yaml").read_text(encoding="utf-8"))
    files = [ROOT / "grafana" / file for each in made["configMapGenerator"] for file in each["files"]]
    assert sorted(files) == sorted((ROOT / "grafana/json").iterdir())
    assert all(file.stat().st_size < APPLY_LIMIT * 0.9 for file in files)


def test_kustomize_puts_the_exporter_beside_the_server() -> None:
    by_kind = {each["kind"]: each for each in rendered(FOLDER / "example")}
    assert by_kind.keys() == {"Namespace", "Deployment", "NetworkPolicy"}
    made = by_kind["Deployment"]["spec"]["template"]
    volumes = {volume["name"]: volume for volume in made["spec"]["volumes"]}
    assert volumes == {volume["name"]: volume for volume in POD["volumes"]}
    assert made["spec"] | {"volumes": POD["volumes"]} == POD
    assert made["metadata"] == merged()["spec"]["template"]["metadata"]


def test_kustomize_adds_the_web_configuration(tmp_path: Path) -> None:
    """As a user has it: a kustomization of their own over the example."""
    place = os.path.relpath(FOLDER, tmp_path.resolve())
    (tmp_path / "kustomization.yaml").write_text(f"resources: [{place}/example]\ncomponents: [{place}/web-config]\n")
    [made] = [each["spec"]["template"]["spec"] for each in rendered(tmp_path) if each["kind"] == "Deployment"]
    wanted = guarded()["spec"]["template"]["spec"]
    for each in (made, wanted):
        each["volumes"] = sorted(each["volumes"], key=lambda volume: str(volume["name"]))
        each["initContainers"][0]["volumeMounts"].sort(key=lambda mount: str(mount["name"]))
    assert made == wanted


def test_kustomize_makes_the_dashboards_and_rules() -> None:
    made = rendered(FOLDER / "monitoring")
    dashboards = {name: text for each in made for name, text in each.get("data", {}).items()}
    assert dashboards == {path.name: path.read_text() for path in (ROOT / "grafana/json").iterdir()}
    assert all(each["metadata"]["labels"]["grafana_dashboard"] == "1" for each in made if each["kind"] == "ConfigMap")
    assert [each["kind"] for each in made if each["apiVersion"] == BY_OPERATOR] == [
        "PodMonitor",
        *["PrometheusRule"] * 2,
    ]


# It fails as soon as bash sleeps in `wait`, which no real server beats: of a job that ended before, bash may know nothing.
FAKE_SERVER = """#!/bin/sh
trap 'echo terminated; echo last >&2; exit 7' TERM
echo "$@"
waits() { read -r _ _ state _ < /proc/$PPID/stat; [ "$state" = S ]; }
if [ "$FAILS" ]; then until waits; do :; done; exit 9; fi
echo up > "$UP"
while :; do sleep 0.05; done
"""


@pytest.mark.parametrize("fails", ["", "yes"])
def test_the_command_of_the_example_logs_all_hands_the_signal_on_and_fails_with_the_server(
    tmp_path: Path, fails: str
) -> None:
    """The text in the manifest, run by bash with a python3 that is a server of our own."""
    (tmp_path / "python3").write_text(FAKE_SERVER)
    (tmp_path / "python3").chmod(0o755)
    os.mkfifo(tmp_path / "up")
    [script] = SGLANG["args"]
    command = [*SGLANG["command"], script.replace("/logs/", f"{tmp_path}/")]
    environment = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "UP": str(tmp_path / "up"), "FAILS": fails}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        if not fails:
            (tmp_path / "up").read_text()
            process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=30)[0]
    started, *ended = said.splitlines()
    assert started.startswith("-m sglang.launch_server --model-path")
    assert (process.returncode, ended) == ((9, []) if fails else (7, ["terminated", "last"]))
    [log] = tmp_path.glob("*.log")
    assert log.read_text() == said
