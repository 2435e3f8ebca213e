"""Job counters: by the times of records, else by the answers in the log, else all at the file's last change; said which."""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sglang_exporter.cli import main
from support.backfilled import backfilled, pages
from support.exporter import Samples, pick
from support.recordings import unpack
from support.servers import access, decode

TEN = 1_795_946_400.0  # 2026-11-29 10:00:00 UTC
DONE = "sglang_job_completions_total"


def record(number: int, at: float | None = None) -> str:
    time = {} if at is None else {"timestamp": datetime.fromtimestamp(at, UTC).isoformat()}
    usage = {"prompt_tokens": 5, "completion_tokens": 100}
    return json.dumps({"id": number, "prompt": "p", "response": "r", "usage": usage, **time})


class Run:
    """A log and output files in a folder, last changed an hour after ten."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.said = ""
        self._capsys = capsys
        self._flags: list[str] = []

    def log(self, *lines: str) -> None:
        self._flags += ["--log", self._write("node.log", lines)]

    def outputs(self, name: str, *lines: str) -> None:
        self._flags += ["--outputs", self._write(f"{name}.jsonl", lines)]

    def backfill(self, *flags: str) -> dict[float, Samples]:
        assert main(["backfill", "--step", "60", *self._flags, *flags]) == 0
        printed = self._capsys.readouterr()
        self.said = printed.err
        return pages(printed.out)

    def done(self, *flags: str, **labels: str) -> list[float | None]:
        """Return the completions at each step."""
        return [pick(page, DONE, **labels) for page in self.backfill(*flags).values()]

    def _write(self, name: str, lines: tuple[str, ...]) -> str:
        path = self.folder / name
        path.write_text("".join(f"{line}\n" for line in lines))
        os.utime(path, (TEN + 3600, TEN + 3600))
        return str(path)


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(tmp_path, capsys)


def test_times_of_records(run: Run) -> None:
    run.outputs("b2", record(1, TEN), record(2, TEN + 90), record(3, TEN + 180))
    assert run.done() == [1, 1, 2, 3]
    assert "b2.jsonl: times are those of its records" in run.said


def test_a_record_was_not_written_before_the_one_ahead_of_it(run: Run) -> None:
    run.outputs("b2", record(1, TEN), record(2, TEN + 120), record(3, TEN + 60), record(4))
    assert run.done() == [1, 1, 4]
    assert "1 lines tell a time before that of the line ahead of them, by up to 60 s" in run.said


def test_records_without_times_take_those_of_the_answers(run: Run) -> None:
    answered = [access(f"10:0{minute}:00") for minute in (1, 1, 2, 4)]
    run.log(decode("10:00:00"), access("10:00:30", "/health", "GET"), *answered, decode("10:05:00"))
    run.outputs("b2", *(record(number) for number in range(4)))
    assert run.done() == [0, 2, 3, 3, 4, 4]
    assert "the 4 with a completion are spread over those of 4 access lines in the log" in run.said


def test_requests_that_failed_take_no_answer_of_the_others(run: Run) -> None:
    run.log(access("10:00:00"), access("10:01:00", status=500), access("10:02:00"), access("10:03:00"))
    failed = json.dumps({"id": 9, "prompt": "p", "response": None, "error": "connection refused"})
    run.outputs("b2", record(1), failed, failed, record(2), record(3))
    assert run.done() == [1, 1, 2, 3]
    assert "the 3 with a completion are spread over those of 3 access lines in the log" in run.said


def test_a_recorded_job_without_its_times_is_nearly_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a restart, two kills and 370 requests that failed."""
    log, outputs = (unpack("0.5.23-batch", name, tmp_path) for name in ("server.log", "raw_responses.jsonl"))
    flags = ("--log", log, "--outputs", outputs)
    wanted = backfilled(capsys, *flags)
    outputs.write_text(re.sub(r'"(submitted_at|finished_at)": [0-9.]+(, )?', "", outputs.read_text()))
    found = backfilled(capsys, *flags)
    assert found.keys() == wanted.keys()
    total = pick(wanted[max(wanted)], DONE)
    assert total == pick(found[max(found)], DONE) == 1684
    assert [pick(page, DONE) for page in found.values()] == [
        pytest.approx(pick(page, DONE), abs=0.03 * total) for page in wanted.values()
    ]


def test_two_data_sets_without_times_share_the_answers(run: Run) -> None:
    run.log(*(access(f"10:0{minute}:00") for minute in range(6)))
    run.outputs("b2", record(1), record(2))
    run.outputs("b3", *(record(number) for number in range(3)))
    assert run.done(dataset="b2") == [0, 0, 1, 1, 1, 2]
    assert run.done(dataset="b3") == [0, 1, 1, 2, 2, 3]


def test_one_data_set_with_times_and_one_without(run: Run) -> None:
    run.log(access("10:00:00"), access("10:02:00"))
    run.outputs("b2", record(1, TEN + 60), record(2, TEN + 60))
    run.outputs("b3", record(1), record(2))
    assert run.done(dataset="b2") == [0, 2, 2]
    assert run.done(dataset="b3") == [1, 1, 2]


def test_lines_of_finished_requests_tell_better_than_access_lines(run: Run) -> None:
    finish = "[2026-11-29 10:0{}:00] Finish: obj=GenerateReqInput(), out={{'meta_info': {{'id': 'a', 'finish_reason': {{'type': 'stop'}}, 'prompt_tokens': 5, 'completion_tokens': 9}}}}"
    run.log(access("10:00:00"), finish.format(1), finish.format(2))
    run.outputs("b2", record(1), record(2))
    assert run.done() == [0, 1, 2]
    assert "2 lines of finished requests in the log" in run.said


def test_without_any_time_all_counts_when_the_file_last_changed(run: Run) -> None:
    run.log(decode("10:00:00"), decode("10:01:00"))
    run.outputs("b2", record(1), record(2))
    done = run.done()
    assert (len(done), done[:-1], done[-1]) == (61, [0.0] * 60, 2)
    assert "neither its records nor a log tell when requests were over" in run.said
    assert "2026-11-29 11:00:00 UTC" in run.said


def test_a_window_is_told_once_it_has_passed_and_the_job_has_an_eta(run: Run) -> None:
    run.outputs("b2", *(record(number, TEN + number * 30) for number in range(41)))
    found = run.backfill("--total", "100")
    rates = [pick(page, "sglang_job_output_tokens_per_second", window="2m") for page in found.values()]
    assert rates[:2] == [None, None]
    assert rates[2:] == [pytest.approx(4 * 100 / 120)] * 19
    eta = pick(found[TEN + 1200], "sglang_job_eta_timestamp_seconds")
    assert eta == pytest.approx(TEN + 1200 + 59 * 30)


def test_a_torn_last_record_is_not_counted(run: Run) -> None:
    run.outputs("b2", record(1, TEN), record(2, TEN + 60))
    with (run.folder / "b2.jsonl").open("a") as file:
        file.write(record(3, TEN + 120)[:-20])
    assert run.done() == [1, 2]
