"""What is not followed for a while, by the configuration or because it is not there, goes on where it was."""

from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest

from sglang_exporter.build import build
from sglang_exporter.checkpoint_file import CheckpointFile
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig, ServerConfig
from sglang_exporter.once import Nobody
from sglang_exporter.sources.saved import VERSION
from support.exporter import Samples, parse, pick
from support.servers import decode, prefill

DAY = 24 * 3600.0
TOTAL = "sglang_server_prefill_tokens_total"
RECORD = '{"id": %d, "response": "a"}\n'


class Life:
    """An exporter from one start to the next, of the log in `folder / "node"` and the answers beside it."""

    def __init__(self, folder: Path) -> None:
        self.clock = FixedClock(1_795_946_400.0)
        self.file = CheckpointFile(folder / "state", VERSION)
        self.file.lock()
        self.config = Config(
            servers=[ServerConfig(logs=f"{folder}/{{server}}/server.log")],
            jobs=[JobConfig(files=[f"{folder}/part-1.jsonl", f"{folder}/part-2.jsonl"], name="job")],
        )
        self.exporter = build(self.config, self.clock, Nobody(), self.file)

    def go_on(self, seconds: float = 6.0) -> Samples:
        self.clock.time += seconds
        while self.exporter.pipeline.step():
            pass
        return parse(generate_latest(self.exporter.registry).decode())

    def reload(self, config: Config) -> Samples:
        self.exporter.pipeline.reload(config)
        return self.go_on()

    def die(self) -> None:
        self.file.close()


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "node" / "server.log"
    path.parent.mkdir()
    return path


def append(path: Path, *lines: str) -> None:
    with path.open("a") as file:
        file.writelines(line if line.endswith("\n") else line + "\n" for line in lines)


def test_a_log_that_the_configuration_names_again(tmp_path: Path, log: Path) -> None:
    life = Life(tmp_path)
    append(log, prefill("10:00:00"), prefill("10:00:01"))
    assert pick(life.go_on(), TOTAL) == 100
    log.rename(f"{log}.1")
    append(log, prefill("10:00:02"))
    life.go_on()
    assert pick(life.go_on(), TOTAL) == 150
    Path(f"{log}.1").unlink()
    assert pick(life.reload(Config()), TOTAL) is None
    append(log, prefill("10:00:03"))
    assert pick(life.reload(life.config), TOTAL) == 200
    append(log, prefill("10:00:04"))
    assert pick(life.go_on(), TOTAL) == 250


def test_output_files_that_the_configuration_names_again(tmp_path: Path, log: Path) -> None:
    append(log, decode("10:00:00"))
    life = Life(tmp_path)
    parts = [tmp_path / "part-1.jsonl", tmp_path / "part-2.jsonl"]
    for number, part in enumerate(parts):
        append(part, *(RECORD % i for i in range(10 * number, 10 * number + 10)))
    assert pick(life.go_on(), "sglang_job_records_total") == 20
    one = Config(jobs=[JobConfig(files=str(parts[0]), name="job")])
    for config, records, done in ((one, 21, 20), (Config(), None, None), (life.config, 25, 22), (one, 26, 22)):
        life.reload(config)
        append(parts[0], RECORD % 5)
        page = life.go_on()
        assert pick(page, "sglang_job_records_total") == records
        assert pick(page, "sglang_job_done") == done
        if records is None:
            append(parts[1], RECORD % 25, RECORD % 26)


def test_a_folder_that_is_not_there_yet_at_the_next_start(tmp_path: Path, log: Path) -> None:
    life = Life(tmp_path)
    append(log, prefill("10:00:00"))
    assert pick(life.go_on(), TOTAL) == 50
    log.unlink()
    append(log, prefill("10:00:01"))
    life.go_on()
    assert pick(life.go_on(), TOTAL) == 100
    life.go_on()
    life.die()
    away = tmp_path / "away" / "node"
    away.parent.mkdir()
    log.parent.rename(away)
    life = Life(tmp_path)
    assert pick(life.go_on(), TOTAL) is None
    life.die()
    life = Life(tmp_path)
    life.go_on()
    away.rename(log.parent)
    append(log, prefill("10:00:02"))
    assert pick(life.go_on(), TOTAL) == 150


def test_what_is_gone_for_a_day_is_forgotten(tmp_path: Path, log: Path) -> None:
    append(log, prefill("10:00:00"))
    life = Life(tmp_path)
    life.go_on()
    life.reload(Config())
    append(tmp_path / "part-1.jsonl", RECORD % 1)
    life.config.servers.clear()
    life.reload(life.config)
    saved = tmp_path / "state" / "checkpoint"
    assert b"last_batch" in saved.read_bytes()
    append(tmp_path / "part-1.jsonl", RECORD % 2)
    life.go_on(DAY)
    assert b"last_batch" not in saved.read_bytes()
