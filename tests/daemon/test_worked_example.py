"""The worked example of the design, from files to the page with a clock in hand.

33 completions every 120 s for twenty minutes at 4,100 tokens are 0.275 requests and 1,127.5 tokens per second, beside
1,351.40 reported at usage 0.93 with 150 running; 88,000 still to go take 88.9 hours.
"""

from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest

from sglang_exporter.build import build
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig, ServerConfig, TokensConfig
from sglang_exporter.once import Nobody
from support.exporter import Samples, parse, pick

START = 1_795_968_000.0
DECODE = (
    "[2026-11-29 10:00:00 TP0] Decode batch, #running-req: 150, #token: 349711, token usage: 0.93, cuda graph: True, "
    "gen throughput (token/s): 1351.40, #queue-req: 0"
)
COUNTED = '{{"id": {}, "response": "an answer", "usage": {{"completion_tokens": 4100}}}}'
UNCOUNTED = '{{"id": {}, "response": "an answer"}}'


class Run:
    """The two files, and the exporter that follows them, for as many seconds as the test likes."""

    def __init__(self, folder: Path, tokens: TokensConfig) -> None:
        self.log, self.outputs = folder / "server.log", folder / "raw_responses.jsonl"
        self.log.touch()
        self.outputs.touch()
        self.clock = FixedClock(START)
        job = JobConfig(files=str(self.outputs), name="b2", total=88_330, tokens=tokens)
        config = Config(servers=[ServerConfig(logs=str(self.log), name="node")], jobs=[job])
        self.exporter = build(config, self.clock, Nobody())
        self.records = 0
        self.exporter.pipeline.step()

    def go_on(self, seconds: float, completions: int, template: str) -> None:
        self.clock.time += seconds
        with self.outputs.open("a") as file:
            for _ in range(completions):
                self.records += 1
                file.write(template.format(self.records) + "\n")
        with self.log.open("a") as file:
            file.write(DECODE + "\n")
        while self.exporter.pipeline.step():
            pass

    def page(self) -> Samples:
        return parse(generate_latest(self.exporter.registry).decode())

    def gauge(self, name: str) -> float:
        value = pick(self.page(), name)
        assert value is not None
        return value


@pytest.mark.parametrize(
    ("template", "average", "series", "other"),
    [
        (COUNTED, None, "output_tokens_per_second", "estimated_output_tokens_per_second"),
        (UNCOUNTED, 4100.0, "estimated_output_tokens_per_second", "output_tokens_per_second"),
    ],
)
def test_the_worked_example(tmp_path: Path, template: str, average: float | None, series: str, other: str) -> None:
    run = Run(tmp_path, TokensConfig(average=average))
    for _ in range(10):
        run.go_on(120, 33, template)
    page = run.page()
    for window in ("2m", "10m"):
        assert pick(page, "sglang_job_completions_per_second", window=window) == pytest.approx(0.275)
        assert pick(page, f"sglang_job_{series}", window=window) == pytest.approx(1127.5)
        assert not pick(page, f"sglang_job_{other}", window=window)
    assert pick(page, "sglang_server_gen_throughput_tokens_per_second") == 1351.40
    assert pick(page, "sglang_server_token_usage_ratio", pool="kv") == 0.93
    assert pick(page, "sglang_server_running_requests") == 150
    assert run.gauge("sglang_job_expected") - run.gauge("sglang_job_done") == 88_000
    hours = (run.gauge("sglang_job_eta_timestamp_seconds") - run.clock.now()) / 3600
    assert hours == pytest.approx(88.9, abs=0.05)


def test_windows_are_absent_until_one_has_passed_and_history_is_no_rate(tmp_path: Path) -> None:
    run = Run(tmp_path, TokensConfig())
    run.go_on(60, 33, COUNTED)
    assert pick(run.page(), "sglang_job_completions_per_second", window="2m") is None
    run.go_on(60, 0, COUNTED)
    assert pick(run.page(), "sglang_job_completions_per_second", window="2m") == pytest.approx(0.275)
    assert pick(run.page(), "sglang_job_completions_per_second", window="10m") is None
    again = Run(tmp_path, TokensConfig())
    again.go_on(121, 0, COUNTED)
    assert pick(again.page(), "sglang_job_completions_total") == 33
    assert pick(again.page(), "sglang_job_completions_per_second", window="2m") == 0
