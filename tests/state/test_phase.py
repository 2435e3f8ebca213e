"""Warm-up, steady and drain: told live, and dated back once they are known."""

from itertools import pairwise

import msgspec
import pytest
from msgspec.structs import replace

from sglang_exporter.state.phase import Spell, Turn
from support.series import Line, Series, series
from support.servers import LoggedServer, access, decode, prefill, start

PORTIONS = 8
READY = "[2026-11-29 10:00:30] The server is fired up and ready to roll!"


def fold(spell: Spell, line: Line) -> None:
    if line.kind == "retract":
        spell.retract(line.said.running)
    else:
        spell.fold(line.kind, line.rank, line.said)


def live(run: Series, spell: Spell) -> list[str]:
    """Return the phase after each line."""
    told: list[str] = []
    for line in run.lines:
        fold(spell, line)
        told.append(spell.turn.phase if spell.turn else "")
    return told


def in_hindsight(run: Series) -> list[str]:
    """Return the phase at each line as it is known at the end."""
    spell = Spell()
    turns: list[Turn] = []
    for line in run.lines:
        fold(spell, line)
        if spell.turn and spell.turn not in turns:
            turns = [turn for turn in turns if turn.since < spell.turn.since] + [spell.turn]
    if tail := spell.tail:
        turns.append(tail)
    return [next(t.phase for t in reversed(turns) if t.since <= line.said.at) for line in run.lines]


@pytest.mark.slow
@pytest.mark.parametrize("portion", range(PORTIONS))
def test_phases_of_a_thousand_runs_with_known_change_points(portion: int) -> None:
    right = now = lines = 0
    for seed in range(portion, 1000, PORTIONS):
        run = series(seed)
        truth = [line.truth for line in run.lines]
        known = [a == b for a, b in zip(in_hindsight(run), truth, strict=True)]
        assert sum(known) >= 0.9 * len(known), seed
        right += sum(known)
        now += sum(a == b for a, b in zip(live(run, Spell()), truth, strict=True))
        lines += len(known)
    assert right >= 0.98 * lines
    assert now >= 0.88 * lines  # live, a phase is known later than it begins


def test_a_spell_that_went_through_a_checkpoint_goes_on_the_same() -> None:
    run = series(3)
    straight, saved = Spell(), Spell()
    for line in run.lines:
        fold(straight, line)
        saved = msgspec.msgpack.decode(msgspec.msgpack.encode(saved), type=Spell)
        fold(saved, line)
        assert saved.turn == straight.turn
    assert straight.turn is not None
    assert straight.turn.phase == "drain"


def test_a_spell_is_bounded_in_memory() -> None:
    spell, sizes = Spell(), []
    steady = [line for line in series(5).lines if line.truth != "drain" and line.kind == "decode"]
    for round_ in range(12):
        for line in steady:
            spell.fold("decode", line.rank, replace(line.said, running=float(4 + round_)))
        sizes.append(len(msgspec.msgpack.encode(spell)))
    assert max(sizes) < 8000


def minute(begin: int, number: int, **said: float) -> list[str]:
    """Return Decode lines one second apart from 10:MM:00 on."""
    return [decode(f"10:{begin + s // 60:02}:{s % 60:02}", **said) for s in range(number)]  # type: ignore[arg-type]


def test_the_servers_own_first_request_is_no_work() -> None:
    server = LoggedServer().read(start("10:00:00"), prefill("10:00:20"), READY)
    assert server.phase() == "idle"
    assert server.read(prefill("10:00:40")).phase() == "warmup"


def test_the_first_burst_warms_up_until_it_has_worked_through() -> None:
    server = LoggedServer().read(start("10:00:00"), READY, *[prefill("10:01:00", running=i) for i in range(40)])
    assert server.read(*minute(1, 59, running=40)).phase() == "warmup"
    for second in range(59):
        server.read(prefill(f"10:02:{second:02}", running=39), decode(f"10:02:{second:02}", running=40))
    assert server.phase() == "steady"


def test_a_log_that_begins_in_the_middle_is_taken_for_warm() -> None:
    assert LoggedServer().read(decode("10:00:00", running=150)).phase() == "steady"


def test_work_after_a_silence_warms_up_again() -> None:
    server = LoggedServer().read(decode("10:00:00", running=150))
    assert server.read(prefill("10:30:00")).phase() == "warmup"


def test_a_request_alone_is_no_burst() -> None:
    server = LoggedServer().read(start("10:00:00"), READY, prefill("10:01:00"))
    assert server.read(*minute(1, 5, running=1)).phase() == "steady"


def test_requests_that_leave_and_are_not_replaced_drain() -> None:
    server = LoggedServer().read(*[prefill("10:00:00", running=i) for i in range(40)], *minute(0, 10, running=40))
    for second, running in enumerate(range(39, 10, -2)):
        server.read(decode(f"10:00:{10 + second:02}", running=running))
    assert server.phase() == "drain"
    assert server.read(*[prefill("10:00:30", running=10 + i) for i in range(40)], *minute(0, 3, running=50))
    assert server.phase() == "steady"


def test_a_fall_with_a_queue_is_no_drain() -> None:
    server = LoggedServer().read(*[prefill("10:00:00", running=i) for i in range(40)])
    for second, running in enumerate(range(39, 10, -2)):
        server.read(decode(f"10:00:{second:02}", running=running, queue=5))
    assert server.phase() == "steady"


def test_a_few_requests_drain_when_none_has_joined_for_longer_than_usual() -> None:
    server = LoggedServer().read(*[prefill("10:00:00", running=i) for i in range(6)], *minute(0, 5, running=6))
    assert server.read(*minute(0, 20, running=2)).phase() == "steady"
    assert server.read(*minute(0, 40, running=2)).phase() == "drain"


def test_a_late_line_of_a_rank_that_drained_first_is_no_work() -> None:
    lines = [decode(f"10:00:{s:02}", ranks=f" DP{dp}", running=20 - 5 * dp) for s in range(5) for dp in (0, 1)]
    assert LoggedServer().read(*lines).phase() == "steady"


def test_answers_hold_the_burst_back_where_a_long_prompt_joins_chunk_by_chunk() -> None:
    lines = [prefill("10:01:00", running=i % 5) for i in range(60)]
    told = LoggedServer().read(start("10:00:00"), READY, *lines, access("10:01:01"), *minute(1, 40, running=5))
    assert told.phase() == "warmup"
    assert LoggedServer().read(start("10:00:00"), READY, *lines, *minute(1, 40, running=5)).phase() == "steady"


def test_a_server_that_only_prefills_is_warm_when_three_bursts_are_answered() -> None:
    server = LoggedServer().read(start("10:00:00"), READY, *[prefill(f"10:01:{s:02}", queue=3) for s in range(30)])
    assert server.phase() == "warmup"
    assert server.read(*[access("10:01:30")] * 3, prefill("10:01:31")).phase() == "steady"


def test_the_chunks_of_a_long_prompt_are_one_request() -> None:
    capacity = "[2026-11-29 10:00:10] max_total_num_tokens=600000, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, context_len=131072, available_gpu_mem=6.67 GB"
    server = LoggedServer().read(start("10:00:00"), capacity, READY)
    for running in range(9):
        server.read(*[prefill("10:01:00", running=running, new=size) for size in (8192, 8192, 8192, 500)])
    assert server.read(*minute(1, 40, running=9)).phase() == "warmup"


def test_phases_follow_each_other_in_order() -> None:
    run = series(11)
    told = live(run, Spell())
    turns = [a for a, b in pairwise([*told, ""]) if a != b]
    assert turns == ["warmup", "steady", "drain"]
