"""Ten simulated days of a healthy batch job and of a healthy online server raise no alert at all."""

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from support.prometheus import binary
from support.simulated import MINUTES, Box, batch_job, online_server

RULES = Path(__file__).parents[2] / "prometheus" / "rules"
HOUR = 60
FIRED = f'group by (instance, alertname) (last_over_time(ALERTS{{alertstate="firing"}}[{HOUR}m]))'
# Coarser than the 15 s of the shipped configuration, so an alert fires rather more easily here than there.
EVALUATION = "2m"


# What healthy boxes do not show: a run that ended, and figures that no alert depends on.
NOT_SHOWN = {
    "sglang_server_end_timestamp_seconds",
    "sglang_server_gen_throughput_tokens_per_second",
    "sglang_server_cached_tokens_total",
    "sglang_server_retracted_requests_total",
    "sglang_job_estimated_output_tokens_total",
    "sglang_job_succeeded",
}


def sick(instance: str) -> Box:
    """Return a box with one fault, so that an alert that fires is seen to be seen."""
    box = Box(instance, seed=3)
    box.constant("sglang_exporter_source_up", 0, 'source="log:gone"')
    return box


def written(folder: Path, boxes: list[Box]) -> Path:
    """Write promtool's test of the boxes: what fired in each hour of ten days is the fault of the sick one alone."""
    series = [
        {"series": name, "values": " ".join("_" if value is None else f"{value:.8g}" for value in values)}
        for box in boxes
        for name, values in box.series.items()
    ]
    seen = {"labels": '{instance="sick:17461",alertname="SGLangExporterSourceDown"}', "value": 1}
    hours = [f"{end}m" for end in (*range(2 * HOUR, MINUTES, HOUR), MINUTES - 1)]
    test = {
        "interval": "1m",
        "input_series": series,
        "promql_expr_test": [{"expr": FIRED, "eval_time": hour, "exp_samples": [seen]} for hour in hours],
    }
    rules = [str(rule) for rule in sorted(RULES.glob("*.yml"), reverse=True)]
    order = [group["name"] for rule in rules for group in yaml.safe_load(Path(rule).read_text())["groups"]]
    case = {"rule_files": rules, "evaluation_interval": EVALUATION, "group_eval_order": order, "tests": [test]}
    path = folder / "healthy.yml"
    path.write_text(yaml.safe_dump(case, width=1 << 30))
    return path


@pytest.mark.prometheus
@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("healthy", [batch_job, online_server])
def test_ten_days_without_an_alert(healthy: Callable[[str], Box], tmp_path: Path) -> None:
    path = written(tmp_path, [healthy("healthy"), sick("sick")])
    done = subprocess.run([binary("promtool"), "test", "rules", path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_healthy_boxes_show_all_that_the_rules_look_at() -> None:
    rules = " ".join(path.read_text() for path in RULES.glob("*.yml"))
    used = set(re.findall(r"(?<![:\w])sglang_\w+(?![:\w])", re.sub(r"^ *#.*", "", rules, flags=re.MULTILINE)))
    shown = {name.partition("{")[0] for box in (batch_job("a"), online_server("b")) for name in box.series}
    assert used - shown == NOT_SHOWN
