"""Each number of the page is that of /metrics at the same moment, through the life of a job with two ranks."""

import math
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest

from sglang_exporter.build import build
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig, ServerConfig
from sglang_exporter.once import Nobody
from sglang_exporter.overview.shown import Overview
from support.exporter import Samples, parse
from support.read_page import Number, PageReader, expected, metrics_of
from support.recordings import lines
from support.servers import decode, prefill, start

START = 1_795_946_400.0
"""10:00 UTC on 2026-11-29."""


class Shown:
    """An exporter under a clock of ours, and its page."""

    def __init__(self, config: Config) -> None:
        self.clock = FixedClock(START)
        self.exporter = build(config, self.clock, Nobody())
        self.overview = Overview(
            self.exporter.registry,
            self.exporter.shared.store,
            self.exporter.recent,
            self.clock,
            unwell=lambda: None,
            unready=lambda: None,
        )
        self.wait(0)

    def wait(self, seconds: float) -> None:
        self.clock.time += seconds
        while self.exporter.pipeline.step():
            pass

    def html(self) -> str:
        return self.overview()

    def read(self) -> PageReader:
        return PageReader(self.overview())

    def metrics(self) -> Samples:
        return parse(generate_latest(self.exporter.registry).decode())

    def check(self) -> list[Number]:
        """Hold each number of the page against /metrics, and return them."""
        numbers, metrics = self.read().numbers, self.metrics()
        assert [n for n in numbers if n.value != expected(n, metrics)] == []
        return numbers

    @property
    def time(self) -> str:
        return datetime.fromtimestamp(self.clock.time, UTC).strftime("%H:%M:%S")


@pytest.fixture
def shown(tmp_path: Path) -> Shown:
    (tmp_path / "glm.log").touch()
    (tmp_path / "out.jsonl").touch()
    servers = [ServerConfig(logs=str(tmp_path / name), timezone="UTC") for name in ("glm.log", "missing.log")]
    deadline = datetime.fromtimestamp(START + 3600, UTC).isoformat()
    job = JobConfig(files=str(tmp_path / "out.jsonl"), name="math", total=1000, deadline=deadline)
    return Shown(Config(servers=servers, jobs=[job]))


def live(shown: Shown, folder: Path, minutes: int) -> None:
    """Let a server with two ranks and its job live for some minutes."""
    for minute in range(minutes):
        with (folder / "glm.log").open("a") as log, (folder / "out.jsonl").open("a") as out:
            for dp in (0, 1):
                log.write(prefill(shown.time, ranks=f" DP{dp} TP0") + "\n")
                log.write(
                    decode(shown.time, running=4, queue=dp, speed=500.5, usage=0.5 + dp / 4, ranks=f" DP{dp} TP0")
                    + "\n"
                )
            out.writelines(
                f'{{"id": "{minute}-{n}", "response": "x", "usage": {{"completion_tokens": 70}}}}\n' for n in range(9)
            )
            out.write(f'{{"id": "{minute}-bad", "error": "connection refused"}}\n')
        shown.wait(20.0)


def test_through_the_life_of_a_job(shown: Shown, tmp_path: Path) -> None:
    assert {n.part for n in shown.check()} >= {"job-math"}
    (tmp_path / "glm.log").write_text(start(shown.time, dp_size=2, served_model_name="glm-4.6") + "\n")
    shown.wait(5.0)
    assert "starting" in shown.read().text
    live(shown, tmp_path, 45)
    numbers = shown.check()
    assert len(numbers) >= 40
    assert metrics_of(numbers) >= {
        "sglang_server_gen_throughput_tokens_per_second",
        "sglang_server_token_usage_ratio",
        "sglang_server_running_requests",
        "sglang_server_queued_requests",
        "sglang_server_retractions_total",
        "sglang_server_errors_total",
        "sglang_job_done",
        "sglang_job_expected",
        "sglang_job_output_tokens_per_second",
        "sglang_job_eta_timestamp_seconds",
        "sglang_job_eta_low_timestamp_seconds",
        "sglang_job_eta_high_timestamp_seconds",
        "sglang_job_deadline_timestamp_seconds",
        "sglang_exporter_lag_bytes",
        "sglang_exporter_lost_bytes_total",
    }
    words = {(n.part, n.origin.rpartition("_server_")[2]): n.words for n in numbers}
    assert words["server-glm", "gen_throughput_tokens_per_second"] == "1,001"
    assert words["server-glm", 'token_usage_ratio{pool!="cpu"}'] == "75 %"


def test_values_that_aged_out_are_not_on_the_page(shown: Shown, tmp_path: Path) -> None:
    live(shown, tmp_path, 3)
    shown.wait(4000.0)
    told = metrics_of(shown.check())
    assert "sglang_server_running_requests" not in told
    assert "sglang_server_last_batch_timestamp_seconds" in told
    assert shown.read().text.count("no value now") == 0  # nothing in this hour, so there is nothing to draw
    assert "It has printed no values in the last hour." in shown.read().text


@pytest.mark.parametrize("recording", ["0.5.23-dp2-tp2", "0.4.10.post2-kill"])
def test_along_a_recording(recording: str, tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.touch()
    shown = Shown(Config(servers=[ServerConfig(logs=str(log), name="s")], stale_after=0))
    all_lines = list(lines(recording, "server.log"))
    for at in range(0, len(all_lines), len(all_lines) // 12):
        log.write_text("\n".join([*all_lines[:at], ""]))
        shown.wait(5.0)
        assert len(shown.check()) >= 5 or at == 0


def test_what_is_no_number_is_said(shown: Shown, tmp_path: Path) -> None:
    (tmp_path / "glm.log").write_text(decode(shown.time, speed=math.inf, running=10**17) + "\n")
    shown.wait(5.0)
    words = [n.words for n in shown.check() if n.part == "server-glm"]
    assert {"∞", "1.00e+17"} <= set(words)
