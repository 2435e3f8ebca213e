"""Ranks of one scheduler say the same; the lowest speaks, and one incident is one."""

from itertools import product

from support.servers import LoggedServer, decode, prefill

FULL = "KV cache pool is full. Retract requests. #retracted_reqs: 3, #new_tokens_gained: 137, #new_token_ratio: 0.0294 -> 0.6026"
RANKS = [f" TP{rank}" for rank in range(16)]


def test_the_lowest_tp_rank_speaks() -> None:
    server = LoggedServer().read(*(prefill("10:00:00", ranks=rank) for rank in reversed(RANKS[:4])))
    server.read(*(prefill("10:00:01", ranks=rank) for rank in RANKS[:4]))
    assert server.value("prefill_tokens_total") == 100


def test_pipeline_stages_are_not_summed() -> None:
    server = LoggedServer().read(*(decode("10:00:00", ranks=f" PP{pp} TP0", running=pp + 1) for pp in (0, 1)))
    assert server.value("running_requests") == 1


def test_dp_ranks_are_schedulers_of_their_own() -> None:
    server = LoggedServer().read(
        *(prefill("10:00:00", ranks=f" DP{dp} TP{2 * dp + tp}") for dp, tp in product((0, 1), (0, 1)))
    )
    assert server.value("prefill_tokens_total", dp_rank="0") == server.value("prefill_tokens_total", dp_rank="1") == 50


def test_a_retraction_that_sixteen_ranks_print_seconds_apart_is_one() -> None:
    server = LoggedServer()
    for second in range(3):
        server.read(*(f"[2026-11-29 10:00:{second * 20 + i:02}{rank}] {FULL}" for i, rank in enumerate(RANKS)))
    assert server.value("retractions_total") == 3
    assert server.value("retracted_requests_total") == 9


def test_retractions_of_a_single_rank_are_each_one() -> None:
    server = LoggedServer().read(*[f"[2026-11-29 10:00:00] {FULL}"] * 4)
    assert server.value("retractions_total") == 4


def test_an_exception_that_sixteen_ranks_print_is_one() -> None:
    server = LoggedServer()
    for rank in RANKS:
        server.read(f"[2026-11-29 10:00:00{rank}] Scheduler hit an exception: Traceback (most recent call last):")
        server.read('  File "/x/scheduler.py", line 1', "torch.OutOfMemoryError: CUDA out of memory.")
    assert server.value("errors_total", kind="exception") == 1
    assert server.value("errors_total", kind="out_of_memory") == 1


def test_the_same_trouble_an_hour_later_is_another() -> None:
    lines = (f"[2026-11-29 1{hour}:00:00 TP0] Watchdog timeout (self.watchdog_timeout=300.0)" for hour in range(3))
    assert LoggedServer().read(*lines).value("errors_total", kind="watchdog") == 3


def test_errors_of_no_incident_are_there_as_0() -> None:
    assert LoggedServer().read(decode("10:00:00")).value("errors_total", kind="nccl") == 0
