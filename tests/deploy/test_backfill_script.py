"""`deploy/backfill.sh`: a run's history with its recording rules, in a Prometheus that shows it and its gaps."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
import yaml

from support.prometheus import Daemon, binary, free_port
from support.recordings import ROOT, unpack

SCRIPT = ROOT / "deploy" / "backfill.sh"
RULES = ROOT / "prometheus" / "rules" / "recording.yml"
RECORDING = "0.5.23-dp2-tp2"
READY = "/-/ready"
LEVELS = re.compile(r"[\w]+:[\w:]+")


def rules() -> dict[str, str]:
    """Return the expression of each recorded series."""
    groups: list[dict[str, Any]] = yaml.safe_load(RULES.read_text())["groups"]
    return {rule["record"]: rule["expr"] for group in groups for rule in group["rules"]}


def level(name: str, known: dict[str, str]) -> int:
    """Return how many rules stand between a series and what is scraped."""
    if name not in known:
        return 0
    return 1 + max((level(other, known) for other in LEVELS.findall(known[name])), default=0)


@contextmanager
def running(folder: Path, *flags: str | Path) -> Iterator[Daemon]:
    """Run the script, stop it as a terminal does, and see that nothing of it is left."""
    port = free_port()
    settings = {"PORT": str(port), "BIN": str(Path(sys.executable).parent)}
    arguments = ["env", *(f"{name}={value}" for name, value in settings.items()), SCRIPT, folder, *flags]
    with Daemon(
        "script", folder.parent, [str(part) for part in arguments], f"http://127.0.0.1:{port}", READY
    ) as daemon:
        yield daemon


def answers(script: Daemon) -> bool:
    """Tell whether the last Prometheus is there, after those that the rules were reckoned with."""
    if "Ctrl-C" not in script.log.read_text():
        return False
    with suppress(URLError):
        return bool(script.get("/api/v1/query", query="vector(1)"))
    return False


def said(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PORT": str(free_port()), "BIN": str(Path(sys.executable).parent)}
    return subprocess.run(
        [SCRIPT, *arguments], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


def test_there_are_as_many_passes_as_rules_have_levels() -> None:
    known = rules()
    passes = re.search(r"^passes=(\d+)", SCRIPT.read_text(), re.MULTILINE)
    assert passes
    assert int(passes[1]) == max(level(name, known) for name in known)


@pytest.mark.slow
@pytest.mark.prometheus
@pytest.mark.timeout(180)
def test_a_run_with_its_rules(tmp_path: Path) -> None:
    binary("promtool")
    log, outputs = (unpack(RECORDING, name, tmp_path) for name in ("server.log", "raw_responses.jsonl"))
    folder = tmp_path / "history"
    with running(folder, "--log", log, "--outputs", outputs, "--total", "5000", "--step", "7.5") as script:
        script.wait(lambda: answers(script), 60, "the folder is filled")
        ends = int((folder / "range").read_text().split()[1]) / 1000
        names = set(script.get("/api/v1/label/__name__/values", start="0", end=str(ends))["data"])
        begins = ends - 600
        for rule in rules().keys() - names:  # nothing of the kind happened in this run
            times = {"start": str(begins), "end": str(ends), "step": "15"}
            assert not script.get("/api/v1/query_range", query=rules()[rule], **times)["data"]["result"], rule
        assert len(rules().keys() & names) > 15
        assert {name for name in names if ":" in name} <= rules().keys()
        for rule, expression in rules().items():
            if rule.endswith((":sum", ":max", ":fullest")):
                same(script, rule, expression, ends)
        gaps(script, ends)
    with running(folder) as script:
        script.wait(lambda: answers(script), 60, "Prometheus is started again")
        assert script.get("/api/v1/query", query="sglang_job_done", time=str(ends))["data"]["result"]
    again = said(folder, "--log", log)
    assert again.returncode == 1
    assert "history is there already" in again.stderr


def same(script: Daemon, rule: str, expression: str, ends: float) -> None:
    """A rule's samples are what its expression gives at their times."""
    (series, *_) = script.get("/api/v1/query", query=f"{rule}[1h]", time=str(ends))["data"]["result"]
    labels = {name: value for name, value in series["metric"].items() if name != "__name__"}
    for at, value in series["values"][:: max(1, len(series["values"]) // 5)]:
        found = script.get("/api/v1/query", query=expression, time=str(at))["data"]["result"]
        assert [one["value"][1] for one in found if one["metric"].items() >= labels.items()] == [value], (rule, at)


def gaps(script: Daemon, ends: float) -> None:
    """A gauge that left the page is not shown any longer, which five minutes of looking back would hide."""
    samples = script.get("/api/v1/query", query="sglang_server_running_requests[1h]", time=str(ends))["data"]["result"]
    for series in samples:
        last = series["values"][-1][0]
        names = ",".join(f'{name}="{value}"' for name, value in series["metric"].items() if name != "__name__")
        selector = f"sglang_server_running_requests{{{names}}}"
        assert script.get("/api/v1/query", query=selector, time=str(last))["data"]["result"]
        assert not script.get("/api/v1/query", query=selector, time=str(last + 8))["data"]["result"]


@pytest.mark.parametrize("arguments", [(), ("--log", "server.log")])
def test_a_folder_is_wanted(arguments: tuple[str, ...]) -> None:
    done = said(*arguments)
    assert done.returncode == 1
    assert done.stderr.startswith("usage: ")


def test_a_log_that_is_not_there_leaves_no_folder(tmp_path: Path) -> None:
    done = said(tmp_path / "history", "--log", tmp_path / "none.log")
    assert done.returncode == 1
    assert "none.log" in done.stderr
    assert not (tmp_path / "history").exists()
