"""The host's clock is set back by hours: following goes on, and no number waits for the old time to come again."""

from pathlib import Path

from prometheus_client.exposition import generate_latest

from sglang_exporter.build import build
from sglang_exporter.checkpoint_file import CheckpointFile
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig, ServerConfig
from sglang_exporter.once import Nobody
from sglang_exporter.sources.saved import VERSION
from support.exporter import Samples, parse, pick
from support.servers import decode

NOON = 1_795_953_600.0
HOURS = 8 * 3600.0
WINDOW = 120.0
RECORD = '{"id": %d, "response": "a", "usage": {"completion_tokens": 7}}\n'
CRASH = "[2026-11-29 10:00:05 TP%d] Scheduler hit an exception: Traceback (most recent call last):\n"


class Life:
    """An exporter that is followed step by step."""

    def __init__(self, folder: Path) -> None:
        self.clock = FixedClock(NOON)
        self.folder = folder
        file = CheckpointFile(folder / "state", VERSION)
        file.lock()
        servers = [ServerConfig(logs=str(folder / "*.log"))]
        jobs = [JobConfig(files=str(folder / "answers.jsonl"), name="job", total=10_000)]
        self.exporter = build(Config(servers=servers, jobs=jobs), self.clock, Nobody(), file)
        self.records = 0
        self.append("answers.jsonl", "")

    def append(self, name: str, text: str) -> None:
        with (self.folder / name).open("a") as file:
            file.write(text)

    def answer(self, number: int) -> None:
        self.append("answers.jsonl", "".join(RECORD % i for i in range(self.records, self.records + number)))
        self.records += number

    def go_on(self, seconds: float = 6.0) -> Samples:
        self.clock.time += seconds
        while self.exporter.pipeline.step():
            pass
        return parse(generate_latest(self.exporter.registry).decode())


def test_rates_begin_anew_and_nothing_comes_in_twice(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.go_on()
    for _ in range(60):
        life.answer(30)
        life.go_on(60.0)
    rate = "sglang_job_completions_per_second"
    assert pick(life.go_on(0.0), rate, window="2m") == 0.5
    before = life.clock.time
    life.go_on(-1800.0)
    for _ in range(60):
        life.answer(30)
        page = life.go_on(60.0)
        if life.clock.time >= before - 1800.0 + WINDOW:
            assert pick(page, rate, window="2m") == 0.5
    eta = pick(page, "sglang_job_eta_timestamp_seconds")
    assert eta
    assert abs(life.clock.time + (10_000 - life.records) / 0.5 - eta) < 60.0


def test_an_incident_after_it_is_another_one(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.go_on()
    for rank, seconds in enumerate((6.0, 6.0, -HOURS)):
        life.append("node7.log", CRASH % rank)
        page = life.go_on(seconds)
    assert pick(page, "sglang_server_errors_total", kind="exception") == 2


def test_gauges_of_a_server_that_went_silent_do_not_live_until_then(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.go_on()
    life.append("node7.log", decode("10:00:00", running=5) + "\n")
    running = "sglang_server_running_requests"
    assert pick(life.go_on(), running) == 5
    assert pick(life.go_on(-HOURS), running) is None
    life.append("node7.log", decode("02:00:00", running=6) + "\n")
    assert pick(life.go_on(), running) == 6


def test_new_files_are_found_and_the_checkpoint_is_kept(tmp_path: Path) -> None:
    life = Life(tmp_path)
    life.go_on()
    life.append("node7.log", decode("02:00:00", running=5) + "\n")
    page = life.go_on(-HOURS)
    assert pick(page, "sglang_server_running_requests", server="node7") == 5
    assert pick(page, "sglang_exporter_checkpoint_age_seconds") == 0
