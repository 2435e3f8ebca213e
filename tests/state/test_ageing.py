"""A reported gauge lives only as long as it is believable."""

import pytest

from support.servers import LoggedServer, access, decode, prefill, start


def test_gauges_of_a_silent_scheduler_go_and_its_timestamp_stays() -> None:
    server = LoggedServer().read(decode("10:00:00"), decode("10:00:05"))
    assert server.value("running_requests", later=29) == 4
    assert server.value("running_requests", later=31) is None
    assert server.value("token_usage_ratio", later=31, pool="kv") is None
    assert server.value("last_batch_timestamp_seconds", later=31) == server.now
    assert server.value("schedulers", later=31, state="silent") == 1


def test_a_slow_rhythm_makes_patient() -> None:
    server = LoggedServer().read(
        *(decode(f"10:{minute:02}:{second:02}") for minute in range(9) for second in (0, 20, 40))
    )
    assert server.value("running_requests", later=79) == 4
    assert server.value("running_requests", later=81) is None


def test_a_pause_is_no_part_of_the_rhythm() -> None:
    server = LoggedServer().read(decode("10:00:00"), decode("10:00:01"), decode("11:00:00"), decode("11:00:01"))
    assert server.value("running_requests", later=31) is None


def test_stale_after_0_keeps_the_last_values_for_ever() -> None:
    server = LoggedServer().read(decode("10:00:00"), "[2026-11-29 10:00:01] SIGQUIT received. signum=3")
    assert server.page(later=1e6, stale_after=0)["sglang_server_running_requests", ()] == 4
    assert ("sglang_server_running_requests", ()) not in server.page(stale_after=5)


def test_throughput_ages_though_prefill_lines_go_on() -> None:
    server = LoggedServer().read(decode("10:00:00"), *(prefill(f"10:00:{second:02}") for second in range(1, 50)))
    assert server.value("gen_throughput_tokens_per_second") is None
    assert server.value("input_throughput_tokens_per_second") == 9.24


def test_the_newest_line_of_either_kind_tells_running_and_queued() -> None:
    server = LoggedServer().read(decode("10:00:00", running=7, queue=3), prefill("10:00:01", running=2, queue=1))
    assert (server.value("running_requests"), server.value("queued_requests")) == (2, 1)
    assert server.value("used_tokens", pool="kv") == 500


def test_a_drained_rank_is_silent_while_its_sister_works() -> None:
    lines = [decode("10:00:00", ranks=" DP0"), *(decode(f"10:00:{s:02}", ranks=" DP1") for s in range(0, 50, 5))]
    server = LoggedServer().read(*lines)
    assert server.value("running_requests", dp_rank="0") is None
    assert server.value("running_requests", dp_rank="1") == 4
    assert (server.value("schedulers", state="live"), server.value("schedulers", state="silent")) == (1, 1)
    assert server.phase() == "steady"


@pytest.mark.parametrize(
    ("finished", "queue", "phase"), [(4, 0, "idle"), (3, 0, "stalled"), (0, 0, "stalled"), (4, 1, "stalled")]
)
def test_silence_is_a_stall_while_work_is_left(finished: int, queue: int, phase: str) -> None:
    server = LoggedServer().read(access("09:59:59"), decode("10:00:00", running=4, queue=queue))
    server.read(*[access("10:00:01")] * finished)
    assert server.phase(later=40) == phase


def test_without_a_source_of_finished_requests_silence_is_idle() -> None:
    assert LoggedServer().read(decode("10:00:00", running=4)).phase(later=40) == "idle"


def test_the_phase_follows_a_start() -> None:
    server = LoggedServer()
    assert server.read(start("10:00:00")).phase() == "starting"
    assert server.read(prefill("10:01:00")).phase() == "starting"
    assert server.read("[2026-11-29 10:01:01] The server is fired up and ready to roll!").phase() == "idle"
    assert server.read("[2026-11-29 10:09:00] SIGQUIT received. signum=3").phase() == "down"
    assert server.read(start("10:10:00")).phase() == "starting"


def test_a_secondary_node_has_no_phase() -> None:
    assert LoggedServer().read(start("10:00:00", node_rank=1, nnodes=2)).phase() is None


def test_a_streamed_answer_has_its_access_line_first_and_is_no_stall() -> None:
    server = LoggedServer().read(prefill("10:00:00"), access("10:00:01"))
    server.read(access("10:00:05"), prefill("10:00:05"), decode("10:00:06", running=1))
    assert server.phase(later=40) == "idle"


def test_a_request_that_was_retracted_is_unanswered_until_it_is_answered() -> None:
    full = "KV cache pool is full. Retract requests. #retracted_reqs: 1, #new_tokens_gained: 9, #new_token_ratio: 0.1000 -> 0.2000"
    lines = [prefill("10:00:00"), f"[2026-11-29 10:00:01] {full}", prefill("10:00:02"), decode("10:00:03", running=1)]
    assert LoggedServer().read(access("09:00:00"), *lines).phase(later=40) == "stalled"
    assert LoggedServer().read(*lines, access("10:00:04")).phase(later=40) == "idle"
