"""The worked example of the design: 33 completions every two minutes, 4,100 tokens each, 88,000 to go."""

import pytest

from sglang_exporter.clock import FixedClock
from sglang_exporter.config import JobConfig, TokensConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState
from sglang_exporter.state.windows import windows

EVERY, BURST, TOKENS, TO_GO = 120, 33, 4100, 88_000
START = 1_800_000_000.0
COUNTED = Record(settles=True, completions=1, output_tokens=TOKENS, lengths=(TOKENS,))
UNCOUNTED = Record(settles=True, completions=1, uncounted=1)


def twenty_minutes(record: Record, average: float | None, history: int = 0) -> tuple[JobState, FixedClock]:
    config = JobConfig(files="", total=history + 10 * BURST + TO_GO, tokens=TokensConfig(average=average))
    state, clock = JobState(config, windows(["2m", "10m", "1h"])), FixedClock(START)
    state.fold([record] * history, START - 5, live=False)
    state.caught_up(clock.now())
    for minute in range(0, 20 * 60, EVERY):
        clock.time = START + minute + EVERY
        state.fold([record] * BURST, clock.now(), live=True)
    return state, clock


@pytest.mark.parametrize("history", [0, 50_000])
def test_exact_counts(history: int) -> None:
    state, clock = twenty_minutes(COUNTED, average=None, history=history)
    rates = state.rates(clock.now())
    assert set(rates) == {"2m", "10m"}
    for window in rates.values():
        assert tuple(window) == pytest.approx((0.275, 1127.5, 0))


def test_estimated_counts() -> None:
    state, clock = twenty_minutes(UNCOUNTED, average=TOKENS, history=100)
    for window in state.rates(clock.now()).values():
        assert tuple(window) == pytest.approx((0.275, 0, 1127.5))
    assert state.counts["output_tokens"] == 0
    assert state.counts["estimated_output_tokens"] == (10 * BURST + 100) * TOKENS


def test_the_time_to_go() -> None:
    state, clock = twenty_minutes(COUNTED, average=None)
    eta = state.eta(clock.now())
    assert eta is not None
    assert (eta.best - clock.now()) / 3600 == pytest.approx(88.9, abs=0.02)
    assert clock.now() < eta.low < eta.best < eta.high


def test_between_two_bursts_the_rate_is_the_same() -> None:
    state, clock = twenty_minutes(COUNTED, average=None)
    for later in (0.0, 1.0, 60.0, 119.0):
        assert state.rates(clock.now() + later)["2m"].completions == pytest.approx(0.275)


def test_when_nothing_comes_any_more_the_rates_fall_to_nothing() -> None:
    state, clock = twenty_minutes(COUNTED, average=None)
    assert state.rates(clock.now() + 120)["2m"].completions == 0
    assert state.rates(clock.now() + 599)["10m"].completions == pytest.approx(33 / 600)
    assert state.rates(clock.now() + 600)["10m"].completions == 0


def test_a_window_is_absent_until_it_has_passed_once() -> None:
    state = JobState(JobConfig(files=""), windows(["2m"]))
    state.fold([COUNTED], START, live=False)
    assert state.rates(START + 1000) == {}
    state.caught_up(START + 1000)
    state.fold([COUNTED], START + 1001, live=True)
    assert state.rates(START + 1119.9) == {}
    assert state.rates(START + 1120)["2m"].completions == 1 / 120


def test_a_file_written_in_one_go_has_no_rate() -> None:
    state = JobState(JobConfig(files="", total=10_000), windows(["2m"]))
    state.caught_up(START)
    at_once = Record(settles=True, completions=1, live=False)
    for tick in range(2000):
        state.fold([at_once], START + tick, live=True)
    assert state.rates(START + 2000) == {}
    assert state.eta(START + 2000) is None


def test_the_last_completion_is_when_it_arrived() -> None:
    state = JobState(JobConfig(files=""))
    assert state.last_completion is None
    state.fold([Record(settles=True, errors=(("other", 1),))], START, live=True)
    assert state.last_completion is None
    state.fold([COUNTED], START + 5, live=True)
    state.fold([COUNTED], START + 3, live=False)
    assert state.last_completion == START + 5
