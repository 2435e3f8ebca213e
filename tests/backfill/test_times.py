"""Lines without a date or a time, clocks that were set back, zones: each series keeps its order, and its times are right."""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from sglang_exporter.cli import main
from support.backfilled import backfilled, pages
from support.exporter import Samples, pick
from support.servers import access, decode, start

TEN = 1_795_946_400.0  # 2026-11-29 10:00:00 UTC
GENERATED = "sglang_server_generated_tokens_total"
BATCH = "sglang_server_last_batch_timestamp_seconds"
RUNNING = "sglang_server_running_requests"


def written(folder: Path, *lines: str, changed: float) -> Path:
    log = folder / "node.log"
    log.write_text("".join(f"{line}\n" for line in lines))
    os.utime(log, (changed, changed))
    return log


def values(found: dict[float, Samples], name: str) -> dict[float, float]:
    return {at: value for at, page in found.items() if (value := pick(page, name)) is not None}


@pytest.mark.parametrize("zone", [-8 * 3600, 0, 5.75 * 3600])
def test_the_zone_is_found_out(tmp_path: Path, capsys: pytest.CaptureFixture[str], zone: float) -> None:
    log = written(tmp_path, decode("10:00:00"), decode("10:00:30"), changed=TEN + 30 - zone)
    found = backfilled(capsys, "--log", log)
    assert list(found) == [TEN - zone, TEN - zone + 15, TEN - zone + 30]


def test_the_zone_of_the_host_is_said_to_be_a_guess(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = written(tmp_path, decode("10:00:00"), changed=TEN + 86400)
    assert main(["backfill", "--log", str(log)]) == 0
    assert "the zone of its times is this host's" in capsys.readouterr().err


def test_a_zone_that_is_wrong_does_not_press_all_lines_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Printed eight hours ahead of this host, and copied a minute after the end: nothing tells the zone."""
    log = written(tmp_path, decode("10:00:00"), decode("10:10:00"), changed=TEN + 660 - 8 * 3600)
    assert main(["backfill", "--log", str(log)]) == 0
    said = capsys.readouterr()
    assert len(pages(said.out)) == 41
    assert "its last line tells a time 28,740 s after the file last changed" in said.err


def test_summer_time_ends(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times = ("01:59:00", "02:30:00", "02:59:50", "02:00:10", "02:30:00", "03:00:00")
    lines = [decode(time).replace("2026-11-29", "2026-10-25") for time in times]
    log = written(tmp_path, *lines, changed=TEN)
    config = tmp_path / "config.yaml"
    config.write_text(f"servers: [{{logs: {log}, timezone: Europe/Berlin}}]\n")
    found = backfilled(capsys, "--config.file", config, "--step", "60")
    assert max(found) - min(found) == 2 * 3600 + 60
    batches = sorted(set(values(found, BATCH).values()))
    assert [after - before for before, after in pairwise(batches)] == [31 * 60, 1790, 20, 1790, 1800]


def test_without_dates_midnights_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Three days, the last line of them when the file last changed; one line of before midnight comes late."""
    times = ("22:00:00", "23:59:59", "00:00:01", "23:59:59", "12:00:00", "09:00:00", "10:00:00")
    lines = [decode(time).replace("2026-11-29 ", "") for time in times]
    log = written(tmp_path, *lines, changed=TEN)
    found = backfilled(capsys, "--log", log, "--step", "3600")
    assert (min(found), max(found)) == (TEN - 36 * 3600, TEN)
    seen = sorted({(at - TEN) / 3600 for at in values(found, BATCH).values()})
    assert seen == pytest.approx([-36, -34 - 1 / 3600, -22, -1, 0])


def test_a_later_release_goes_on_with_dates(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = [decode(time).replace("2026-11-29 ", "") for time in ("23:00:00", "08:00:00")]
    log = written(tmp_path, *old, decode("09:00:00"), decode("10:00:00"), changed=TEN)
    found = backfilled(capsys, "--log", log, "--step", "3600")
    assert sorted({(at - TEN) / 3600 for at in values(found, BATCH).values()}) == [-11, -2, -1, 0]


def test_a_log_without_any_time_is_as_old_as_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = decode("10:00:00").partition("] ")[2]
    log = written(tmp_path, bare, bare, changed=TEN)
    assert main(["backfill", "--log", str(log)]) == 0
    said = capsys.readouterr()
    assert list(pages(said.out)) == [TEN]
    assert "no line tells a time: all of it counts at 2026-11-29 10:00:00 UTC" in said.err


def test_a_clock_set_back_stands_still_and_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    times = ("10:00:00", "10:01:00", "09:31:00", "09:32:00", "10:02:00")
    log = written(tmp_path, *(decode(time, speed=10.0) for time in times), changed=TEN + 120)
    assert main(["backfill", "--log", str(log)]) == 0
    said = capsys.readouterr()
    generated = list(values(pages(said.out), GENERATED).values())
    assert generated == sorted(generated)
    assert len(generated) == 9
    assert "2 lines tell a time before that of the line ahead of them, by up to 1,800 s" in said.err


def test_one_line_with_a_time_of_its_own_moves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    damaged = decode("10:00:10").replace("2026-11-29", "2026-11-20"), decode("23:00:00")
    lines = [decode("10:00:00"), *damaged, decode("10:00:30"), decode("10:01:00")]
    found = backfilled(capsys, "--log", written(tmp_path, *lines, changed=TEN + 86400))
    assert list(found) == [TEN + 15 * step for step in range(5)]


def test_lines_without_a_time_come_with_the_line_ahead_of_them(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = access("10:00:00").partition("] ")[2]
    lines = [bare, start("10:00:00"), bare, bare, decode("10:00:40"), bare, decode("10:01:00")]
    found = backfilled(capsys, "--log", written(tmp_path, *lines, changed=TEN + 60))
    assert list(values(found, "sglang_server_http_requests_total").values()) == [3, 3, 3, 4, 4]


def test_a_gap_is_a_gap(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [decode("10:00:00"), decode("10:00:10"), decode("10:05:00")]
    found = backfilled(capsys, "--log", written(tmp_path, *lines, changed=TEN + 300), "--step", "10")
    shown = values(found, RUNNING)
    assert sorted(at - TEN for at in shown) == [0, 10, 20, 30, 40, 50, 300]
    assert len(values(found, GENERATED)) == 31


def test_a_silence_of_years_is_not_sampled(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A machine that boots with its clock at 1970 and is told the time."""
    early = decode("00:00:05").replace("2026-11-29", "1970-01-01")
    log = written(tmp_path, early, decode("10:00:00"), changed=TEN)
    found = backfilled(capsys, "--log", log, "--step", "3600")
    assert len(found) == 7 * 24 + 1
    assert max(found) == TEN
