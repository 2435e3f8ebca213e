"""Logs that were written before we came: their times, zones and days."""

import os
from pathlib import Path

import pytest
from prometheus_client.exposition import generate_latest

from sglang_exporter.config import Config, ServerConfig
from sglang_exporter.once import read_to_the_end
from support.exporter import Samples, parse, pick
from support.servers import decode, start

TEN = 1_795_946_400.0  # 2026-11-29 10:00:00 UTC


def page(folder: Path, *lines: str, changed: float, stale_after: float | None = None) -> Samples:
    log = folder / "node.log"
    log.write_text("\n".join(lines) + "\n")
    os.utime(log, (changed, changed))
    config = Config(servers=[ServerConfig(logs=str(log))], stale_after=stale_after)
    return parse(generate_latest(read_to_the_end(config).registry).decode())


@pytest.mark.parametrize("zone", [-8 * 3600, 0, 5.75 * 3600, 8 * 3600])
def test_the_zone_of_a_log_is_found_out(tmp_path: Path, zone: float) -> None:
    shown = page(tmp_path, decode("09:59:50"), decode("10:00:00"), changed=TEN - zone + 1)
    assert pick(shown, "sglang_server_last_batch_timestamp_seconds") == TEN - zone
    assert pick(shown, "sglang_server_running_requests") == 4


def test_two_zones_in_one_file_the_last_one_holds(tmp_path: Path) -> None:
    lines = [start("18:00:00"), decode("18:00:10"), start("10:00:00", tp_size=2), decode("10:00:20", running=7)]
    shown = page(tmp_path, *lines, changed=TEN + 20)
    assert pick(shown, "sglang_server_start_timestamp_seconds") == TEN
    assert pick(shown, "sglang_server_last_batch_timestamp_seconds") == TEN + 20
    assert pick(shown, "sglang_server_running_requests") == 7


def test_a_day_boundary_without_dates(tmp_path: Path) -> None:
    lines = [decode(time, speed=10.0).replace("2026-11-29 ", "") for time in ("23:59:50", "23:59:58", "00:00:02")]
    midnight = TEN - 10 * 3600
    shown = page(tmp_path, *lines, changed=midnight + 2)
    assert pick(shown, "sglang_server_generated_tokens_total") == 10 * 8 + 10 * 4
    assert pick(shown, "sglang_server_last_batch_timestamp_seconds") == midnight + 2
    assert pick(shown, "sglang_server_running_requests") == 4


def test_a_log_without_any_time_is_as_old_as_its_file(tmp_path: Path) -> None:
    bare = decode("10:00:00").partition("] ")[2]
    shown = page(tmp_path, bare, bare, changed=TEN)
    assert pick(shown, "sglang_server_last_batch_timestamp_seconds") == TEN


def test_ranks_that_drained_one_by_one(tmp_path: Path) -> None:
    lines = [decode(f"10:0{minute}:00", ranks=f" DP{minute}") for minute in range(4)]
    shown = page(tmp_path, *lines, changed=TEN + 180)
    assert [pick(shown, "sglang_server_running_requests", dp_rank=str(rank)) for rank in range(4)] == [
        None,
        None,
        None,
        4,
    ]
    assert pick(shown, "sglang_server_schedulers", state="silent") == 3
