"""A minute at real speed: a server that writes, the daemon, and Debian's Prometheus that scrapes it."""

import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from support.exporter import Exporter
from support.prometheus import PrometheusServer
from support.recordings import ROOT, printed

DEMO = ROOT / "deploy" / "demo" / "recording"
SECONDS = 60.0
CONFIG = """\
global: {{scrape_interval: 1s}}
scrape_configs:
  - job_name: sglang-exporter
    static_configs: [{{targets: ["{target}"]}}]
"""


@pytest.mark.slow
@pytest.mark.prometheus
@pytest.mark.timeout(150)
def test_a_minute_of_scrapes(tmp_path: Path) -> None:
    log, outputs = tmp_path / "server.log", tmp_path / "raw_responses.jsonl"
    replay = subprocess.Popen(
        [sys.executable, "-m", "sglang_exporter", "replay", DEMO, "--into", tmp_path], stderr=subprocess.DEVNULL
    )
    with Exporter(tmp_path, "--log", log, "--outputs", outputs, "--total", "776") as exporter:
        config = CONFIG.format(target=exporter.url.removeprefix("http://"))
        with PrometheusServer(tmp_path / "prometheus", config) as prometheus:
            began = time.time()
            prometheus.wait(lambda: time.time() - began > SECONDS, SECONDS + 10, "a minute has passed")
            ended = time.time()
            seen = _values(prometheus, "sglang_server_gen_throughput_tokens_per_second", began, ended)
            done = _values(prometheus, "sglang_job_done", began, ended)
            failed = prometheus.query("min_over_time(up[1m])")
    replay.terminate()
    replay.wait()
    assert [series["value"][1] for series in failed] == ["1"]
    assert len(set(seen)) > 15
    assert set(seen) <= printed(log.read_text(), "gen throughput (token/s)")
    assert all(before <= after for before, after in pairwise(done))
    assert done[-1] > 100


def _values(prometheus: PrometheusServer, name: str, start: float, end: float) -> list[float]:
    (series,) = prometheus.query_range(name, start, end, 1)
    return [float(value) for _, value in series["values"]]
