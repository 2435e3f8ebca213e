"""The rates after a start: from the records' own timestamps where they have them, else after one window."""

import json
import os
from pathlib import Path

import pytest

from sglang_exporter.config import JobConfig, TokensConfig
from sources.followed import Followed
from support.exporter import Samples, pick

EVERY = 5.0


def record(number: int, at: float | None, *, counted: bool = True) -> str:
    timed = {} if at is None else {"timestamp": at}
    tokens = {"completion_tokens": 100} if counted else {}
    return json.dumps({"id": number, "response": "x", **tokens, **timed}) + "\n"


def write(path: Path, until: float, seconds: float, *, timed: bool = True, shift: float = 0.0) -> None:
    """Write a record for each five seconds before a time, as if the last one had just been written."""
    steps = int(seconds / EVERY)
    times = [until - EVERY * step for step in reversed(range(steps))]
    with path.open("a") as file:
        file.writelines(record(int(at * 10), at + shift if timed else None) for at in times)
    os.utime(path, (until, until))


def follow(path: Path, state: Path | None = None, *, total: int = 10_000) -> Followed:
    return Followed("", JobConfig(files=str(path), name="job", total=total), state)


def rate(page: Samples, window: str) -> float | None:
    return pick(page, "sglang_job_completions_per_second", window=window)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


def test_timestamps_fill_the_windows_at_once_and_the_eta(path: Path) -> None:
    followed = follow(path)
    write(path, followed.clock.now(), 4000)
    followed.wait(0.0)
    page = followed.page()
    assert rate(page, "2m") == pytest.approx(1 / EVERY, rel=0.03)
    assert rate(page, "10m") == pytest.approx(1 / EVERY, rel=0.01)
    assert pick(page, "sglang_job_output_tokens_per_second", window="10m") == pytest.approx(100 / EVERY, rel=0.01)
    left = (10_000 - 800) * EVERY
    assert pick(page, "sglang_job_eta_timestamp_seconds") == pytest.approx(
        followed.clock.now() + left, rel=0, abs=left / 20
    )


def test_what_follows_is_added_when_it_arrives(path: Path) -> None:
    followed = follow(path)
    write(path, followed.clock.now(), 700)
    followed.wait(0.0)
    for _ in range(24):
        followed.wait(EVERY)
        write(path, followed.clock.now(), EVERY)
        followed.wait(0.0)
        assert rate(followed.page(), "2m") == pytest.approx(1 / EVERY, rel=0.05)


def test_a_job_that_stands_has_no_rate_but_zero(path: Path) -> None:
    followed = follow(path)
    write(path, followed.clock.now() - 300, 4000)
    followed.wait(0.0)
    assert rate(followed.page(), "2m") == 0
    assert rate(followed.page(), "10m") == pytest.approx(0.5 / EVERY, rel=0.02)


def test_without_timestamps_a_window_must_pass(path: Path) -> None:
    followed = follow(path)
    write(path, followed.clock.now(), 4000, timed=False)
    followed.wait(0.0)
    assert rate(followed.page(), "2m") is None
    followed.wait(119.0)
    assert rate(followed.page(), "2m") is None
    followed.wait(1.0)
    assert rate(followed.page(), "2m") == 0
    assert rate(followed.page(), "10m") is None


@pytest.mark.parametrize("shift", [-3600.0, -90.0, 60.0, 3600.0])
def test_timestamps_that_do_not_end_with_the_file_are_not_believed(path: Path, shift: float) -> None:
    followed = follow(path)
    write(path, followed.clock.now(), 4000, shift=shift)
    followed.wait(0.0)
    assert rate(followed.page(), "2m") is None
    assert rate(followed.page(), "10m") is None


def test_a_completion_without_a_timestamp_spoils_it(path: Path) -> None:
    followed = follow(path)
    with path.open("w") as file:
        file.write(record(1, None))
    write(path, followed.clock.now(), 4000)
    followed.wait(0.0)
    assert rate(followed.page(), "10m") is None


def test_after_a_restart_what_was_read_before_it_and_since(path: Path, tmp_path: Path) -> None:
    followed = follow(path, tmp_path / "state")
    write(path, followed.clock.now(), 400)
    followed.wait(0.0)
    followed.wait(10.0)
    followed.die()
    again = follow(path, tmp_path / "state")
    again.clock.time = followed.clock.now() + 200
    write(path, again.clock.now(), 210)
    again.wait(0.0)
    page = again.page()
    assert pick(page, "sglang_job_records_total") == 80 + 42
    assert rate(page, "10m") == pytest.approx(1 / EVERY, rel=0.01)
    assert rate(page, "2m") == pytest.approx(1 / EVERY, rel=0.03)


def test_completions_without_a_count_by_their_average(path: Path) -> None:
    job = JobConfig(files=str(path), name="job", tokens=TokensConfig(average=50))
    followed = Followed("", job)
    now = followed.clock.now()
    path.write_text("".join(record(step, now - EVERY * step, counted=False) for step in range(400)))
    os.utime(path, (now, now))
    followed.wait(0.0)
    page = followed.page()
    assert pick(page, "sglang_job_estimated_output_tokens_per_second", window="10m") == pytest.approx(10, rel=0.02)
    assert pick(page, "sglang_job_output_tokens_per_second", window="10m") == 0
