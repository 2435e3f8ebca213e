"""The word that the dashboard has for what limits a server, against made-up servers on both sides of each border."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from grafana.committed import GRAFANA, panels, resolved
from support.made_up import made_up, prometheus_with
from support.remote_write import Sample

START, END = 1_764_500_400.0, 1_764_501_000.0


class State(NamedTuple):
    """What a server says all the time; tokens and retractions are per second."""

    phase: str
    usage: float | None
    queued: float
    generated: float = 1000.0
    computed: float = 100.0
    retractions: float = 0.0


CASES = {
    "idle": State("idle", None, 0),
    "KV cache": State("steady", 0.9, 0),
    "KV cache ": State("steady", 0.93, 40),
    "KV cache, it retracts": State("steady", 0.8, 40, retractions=0.1),
    "client too slow": State("steady", 0.89, 0.9),
    "client too slow ": State("drain", 0.2, 0),
    "client too slow, though it reads long prompts": State("steady", 0.2, 0, computed=50_000),
    "scheduler too careful": State("steady", 0.89, 1),
    "scheduler too careful ": State("warmup", 0.3, 60, computed=9_900),
    "prefill": State("steady", 0.3, 60, computed=10_100),
    "(stalled)": State("stalled", 0.95, 60),
    "(down)": State("down", None, 0),
}


def _series(server: str, state: State) -> Iterator[Iterator[Sample]]:
    def one(name: str, value: float, **labels: str) -> Iterator[Sample]:
        return made_up(f"sglang_server_{name}", START, END, value, server=server, **labels)

    def growing(name: str, per_second: float) -> Iterator[Sample]:
        value = lambda time: (time - START) * per_second  # noqa: E731
        return made_up(f"sglang_server_{name}_total", START, END, value, server=server)

    for phase in ("starting", "warmup", "steady", "drain", "idle", "stalled", "down"):
        yield one("phase", float(phase == state.phase), phase=phase)
    if state.usage is not None:
        yield one("token_usage_ratio", state.usage, pool="kv")
        yield one("token_usage_ratio", 1.0, pool="cpu")
        yield one("running_requests", 100)
        yield one("queued_requests", state.queued)
    yield growing("generated_tokens", state.generated)
    yield growing("prefill_tokens", state.computed)
    yield growing("retractions", state.retractions)


@pytest.mark.prometheus
def test_each_state_has_its_word(tmp_path: Path) -> None:
    (panel,) = [one for one in panels(GRAFANA / "json" / "sglang-server.json") if one["title"] == "What limits it?"]
    words = panel["fieldConfig"]["defaults"]["mappings"][0]["options"]
    series = [one for name, state in CASES.items() for one in _series(name, state)]
    with prometheus_with(tmp_path / "prometheus", series) as server:
        found = server.query(resolved(panel["targets"][0]["expr"]), END)
    said = {one["metric"]["server"]: words[one["value"][1]]["text"] for one in found}
    assert said == {name: name.split(",")[0].strip() for name in CASES if not name.startswith("(")}
