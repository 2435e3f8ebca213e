"""A start ends the run before: its gauges go, counters go on."""

import pytest

from support.servers import LoggedServer, decode, prefill, start

CAPACITY = "max_total_num_tokens=6000, chunked_prefill_size=1024, max_prefill_tokens=16384, max_running_requests=2048, context_len=8192, available_gpu_mem=6.67 GB"


def capacity(time: str, ranks: str = "") -> str:
    return f"[2026-11-29 {time}{ranks}] {CAPACITY}"


def test_a_start_drops_gauges_and_limits_and_keeps_counters() -> None:
    server = LoggedServer().read(start("10:00:00"), capacity("10:00:10"), prefill("10:00:20"), decode("10:00:20"))
    assert server.value("capacity_tokens") == 6000
    assert server.value("available_memory_bytes") == 6.67e9
    server.read(start("10:00:30", kv_cache_dtype="fp8_e5m2"))
    assert server.value("capacity_tokens") is None
    assert server.value("running_requests") is None
    assert server.value("prefill_tokens_total") == 50
    assert server.value("starts_total") == 2
    assert server.value("start_timestamp_seconds") == server.now


def test_info_shows_the_arguments_of_the_last_start_only() -> None:
    server = LoggedServer().read(start("10:00:00"), capacity("10:00:10"), start("10:00:30", kv_cache_dtype="fp8_e5m2"))
    infos = [dict(labels) for name, labels in server.page() if name == "sglang_server_info"]
    assert infos == [{"model": "tiny", "tp_size": "1", "kv_cache_dtype": "fp8_e5m2"}]


def test_a_start_that_is_printed_twice_is_one() -> None:
    assert LoggedServer().read(start("10:00:00"), start("10:00:00")).value("starts_total") == 1


@pytest.mark.parametrize(
    "between",
    [capacity("10:00:05"), "[2026-11-29 10:00:05 TP0] Scheduler hit an exception: Traceback (most recent call last):"],
)
def test_a_crash_loop_is_many_starts(between: str) -> None:
    assert LoggedServer().read(*[start("10:00:00"), between] * 5).value("starts_total") == 5


def test_generated_tokens_count_from_the_capacity_line() -> None:
    server = LoggedServer().read(capacity("10:00:00"), decode("10:00:10", speed=30.0), decode("10:00:14", speed=50.0))
    assert server.value("generated_tokens_total") == 30 * 10 + 50 * 4


def test_generated_tokens_of_a_log_that_begins_in_the_middle() -> None:
    server = LoggedServer().read(decode("10:00:10", speed=30.0), decode("10:00:14", speed=50.0))
    assert server.value("generated_tokens_total") == 50 * 4


def test_generated_tokens_do_not_count_the_time_between_two_runs() -> None:
    server = LoggedServer().read(capacity("10:00:00"), decode("10:00:10", speed=1.0), start("11:00:00"))
    server.read(decode("11:00:10", speed=1000.0))
    assert server.value("generated_tokens_total") == 10


def test_each_dp_rank_has_its_own_capacity() -> None:
    server = LoggedServer().read(capacity("10:00:00", " DP0 TP0"), capacity("10:00:00", " DP1 TP4"))
    assert server.value("capacity_tokens", dp_rank="0") == server.value("capacity_tokens", dp_rank="1") == 6000


def test_a_crashed_server_is_down_though_health_probes_still_print_prefill_lines() -> None:
    crash = "[2026-11-29 10:00:05 TP0] Scheduler hit an exception: Traceback (most recent call last):"
    server = LoggedServer().read(start("10:00:00"), decode("10:00:04"), crash, prefill("10:00:10"))
    assert server.phase() == "down"
    assert server.value("running_requests") is None
    assert server.value("schedulers", state="silent") == 1


def test_a_clock_that_is_set_back_neither_counts_nor_keeps_values_alive() -> None:
    server = LoggedServer().read(decode("11:00:00", speed=10.0), decode("11:00:04", speed=10.0))
    server.now -= 3600  # what the host's clock says from now on
    server.state.fold(server.event(decode("10:00:05", speed=10.0)), server.moment("10:00:05"))
    assert server.value("generated_tokens_total") == 40
    assert server.value("last_batch_timestamp_seconds") == server.now
