"""A restart, kill -9 included, neither recounts nor loses a line."""

import os
import signal
from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest

from sglang_exporter.build import Exporter as Built
from sglang_exporter.build import build
from sglang_exporter.checkpoint_file import CheckpointFile, CheckpointInUseError
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig, ServerConfig
from sglang_exporter.once import Nobody
from sglang_exporter.sources.saved import VERSION
from support.exporter import Exporter, Samples, parse, pick
from support.servers import decode, prefill, start

TEN = 1_795_946_400.0
RECORD = '{"id": %d, "response": "a", "usage": {"completion_tokens": 7, "prompt_tokens": 3}}\n'


class Life:
    """An exporter from one start to the next; what it leaves is what is on disk."""

    def __init__(self, folder: Path, *, checkpoint: bool = True, total: int = 100) -> None:
        self.log, self.outputs = folder / "node.log", folder / "answers.jsonl"
        self.clock = FixedClock(TEN)
        config = Config(
            servers=[ServerConfig(logs=str(self.log), timezone="UTC")],
            jobs=[JobConfig(files=str(self.outputs), name="job", total=total)],
        )
        self.file = CheckpointFile(folder / "state", VERSION) if checkpoint else None
        if self.file:
            self.file.lock()
        self.exporter: Built = build(config, self.clock, Nobody(), self.file)

    def go_on(self, seconds: float = 6.0) -> Samples:
        self.clock.time += seconds
        while self.exporter.pipeline.step():
            pass
        return parse(generate_latest(self.exporter.registry).decode())

    def die(self) -> None:
        if self.file:
            self.file.close()


def write(path: Path, *lines: str) -> None:
    with path.open("a") as file:
        file.writelines(line if line.endswith("\n") else line + "\n" for line in lines)


def counters(page: Samples) -> Samples:
    """Return what only counts: nothing of it may differ between one life and two."""
    return {
        series: value
        for series, value in page.items()
        if series[0].endswith(("_total", "_count", "_sum", "_bucket", "sglang_job_done", "sglang_job_succeeded"))
    }


def lines(batch: int) -> list[str]:
    return [prefill(f"10:0{batch}:00"), decode(f"10:0{batch}:01"), decode(f"10:0{batch}:05", speed=10.0 + batch)]


@pytest.mark.parametrize("unsaved", [False, True])
def test_two_lives_count_what_one_does(tmp_path: Path, unsaved: bool) -> None:  # noqa: FBT001 -- a case
    one = tmp_path / "one"
    two = tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
        write(folder / "node.log", start("10:00:00"), *lines(0))
        write(folder / "answers.jsonl", *(RECORD % i for i in range(5)))
    straight, first = Life(one), Life(two)
    straight.go_on()
    first.go_on()
    for folder in (one, two):
        write(folder / "node.log", *lines(1))
        write(folder / "answers.jsonl", *(RECORD % i for i in range(3, 8)))
    if not unsaved:
        first.go_on()
    first.die()
    for folder in (one, two):
        write(folder / "node.log", *lines(2), start("10:03:00", tp_size=2))
        write(folder / "answers.jsonl", RECORD % 9)
    assert counters(Life(two).go_on()) == counters(straight.go_on())


def test_ids_are_known_again_after_a_restart(tmp_path: Path) -> None:
    write(tmp_path / "answers.jsonl", *(RECORD % i for i in range(30)))
    Life(tmp_path).go_on()
    life = again(tmp_path)
    write(life.outputs, *(RECORD % i for i in range(25, 35)))
    page = life.go_on()
    assert pick(page, "sglang_job_records_total") == 40
    assert pick(page, "sglang_job_duplicates_total") == 5
    assert pick(page, "sglang_job_done") == 35


def again(folder: Path) -> Life:
    """Return the next life; the one before is gone without a word."""
    (folder / "state" / "lock").unlink(missing_ok=True)
    return Life(folder)


def test_nothing_is_shown_before_the_backlog_is_folded_and_no_counter_falls(tmp_path: Path) -> None:
    write(tmp_path / "node.log", *lines(0))
    before = Life(tmp_path).go_on()
    write(tmp_path / "node.log", *lines(1))
    life = again(tmp_path)
    shown = parse(generate_latest(life.exporter.registry).decode())
    assert not counters(shown)
    after = life.go_on()
    assert all(after[series] >= value for series, value in counters(before).items())


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"sglang-exporter checkpoint 999\nabcdpayload"])
def test_a_checkpoint_of_no_use_is_set_aside_and_all_is_read_anew(tmp_path: Path, damage: bytes) -> None:
    write(tmp_path / "node.log", *lines(0))
    page = Life(tmp_path).go_on()
    (tmp_path / "state" / "checkpoint").write_bytes(damage)
    assert counters(again(tmp_path).go_on()) == counters(page)
    assert (tmp_path / "state" / "checkpoint.unusable").read_bytes() == damage


def test_a_payload_of_another_form_is_set_aside(tmp_path: Path) -> None:
    life = Life(tmp_path)
    assert life.file
    life.file.save(b"\x81\xa4logs\x05")
    assert counters(again(tmp_path).go_on())
    assert (tmp_path / "state" / "checkpoint.unusable").exists()


def test_two_exporters_never_share_one(tmp_path: Path) -> None:
    Life(tmp_path)
    with pytest.raises(CheckpointInUseError, match="another exporter"):
        Life(tmp_path)


def test_a_full_disk_leaves_the_checkpoint_before_and_is_told_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    write(tmp_path / "node.log", *lines(0))
    life = Life(tmp_path)
    life.go_on()
    kept = (tmp_path / "state" / "checkpoint").read_bytes()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    write(tmp_path / "node.log", *lines(1))
    page = life.go_on(600.0)
    told = {"file": tmp_path / "state" / "checkpoint", "why": "No space left on device"}
    assert told in [getattr(record, "fields", None) for record in caplog.records]
    assert (tmp_path / "state" / "checkpoint").read_bytes() == kept
    assert (pick(page, "sglang_exporter_checkpoint_age_seconds") or 0) >= 600
    monkeypatch.undo()
    assert pick(life.go_on(), "sglang_exporter_checkpoint_age_seconds") == 0


def test_no_prompt_answer_or_id_is_in_it(tmp_path: Path) -> None:
    write(tmp_path / "node.log", "[2026-11-29 10:00:00] Receive: obj=GenerateReqInput(rid='hunter2', text='hunter2')")
    write(
        tmp_path / "node.log", '{"log":"[2026-11-29 10:00:00] Receive: obj=(text=hunter2","stream":"stderr","time":"t"}'
    )
    write(tmp_path / "answers.jsonl", '{"id": "hunter2", "prompt": "hunter2", "response": "hunter2"}')
    life = Life(tmp_path)
    life.go_on()
    life.go_on(100.0)
    assert b"hunter2" not in (tmp_path / "state" / "checkpoint").read_bytes()


@pytest.mark.slow
def test_kill_9_of_the_real_daemon(tmp_path: Path) -> None:
    log, state = tmp_path / "node7.log", tmp_path / "state"
    write(log, *lines(0))
    total = "sglang_server_prefill_tokens_total"
    with Exporter(tmp_path, "--log", log, checkpoint=state, speed=20) as exporter:
        exporter.page_when(lambda page: pick(page, total) == 50, "the first lines are counted")
        saved = state / "checkpoint"
        exporter.wait(saved.exists, 20, "the checkpoint is written")
        write(log, *lines(1))
        exporter.page_when(lambda page: pick(page, total) == 100, "the next ones are counted")
        assert exporter.signal(signal.SIGKILL) == -signal.SIGKILL
    write(log, *lines(2))
    with Exporter(tmp_path, "--log", log, checkpoint=state) as exporter:
        assert pick(exporter.page(), total) == 150
        assert exporter.signal(signal.SIGTERM) == 0
    with Exporter(tmp_path, "--log", log, checkpoint=state) as exporter:
        assert pick(exporter.page(), total) == 150
