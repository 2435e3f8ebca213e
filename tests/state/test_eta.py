"""When a job will be done: not at all when that is a guess, never in the past, and between low and high."""

from collections.abc import Iterator
from random import Random
from statistics import mean

import pytest

from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.eta import Eta, Progress
from sglang_exporter.state.job import JobState
from state.day import HOUR, Answer, day, in_order


def steady(every: float, until: float, start: float = 0.0) -> Progress:
    """Return the progress of one record every so many seconds."""
    progress, at = Progress(since=0.0), start
    while (at := at + every) <= until:
        progress.add(at, 1, 1)
    return progress


def eta(progress: Progress, now: float, remaining: float = 1000, latency: float | None = None) -> Eta | None:
    return progress.eta(remaining, now, latency=latency, longest=latency)


def test_a_steady_job() -> None:
    found = eta(steady(10, until=HOUR), HOUR)
    assert found is not None
    assert found.best == pytest.approx(HOUR + 10_000)
    assert found.low == pytest.approx(found.best, rel=0.02)
    assert found.high == pytest.approx(found.best, rel=0.02)


def test_ten_minutes_must_have_passed() -> None:
    progress = steady(10, until=599)
    assert eta(progress, 599.0) is None
    assert eta(progress, 600.0) is not None


def test_five_records_must_have_arrived_live() -> None:
    assert eta(steady(150, until=600), 600.0) is None
    assert eta(steady(120, until=600), 600.0) is not None


def test_no_eta_for_a_job_that_stalls() -> None:
    progress = steady(5, until=HOUR)
    assert eta(progress, HOUR + 599) is not None
    assert eta(progress, HOUR + 600) is None


def test_no_eta_when_nothing_remains() -> None:
    assert eta(steady(10, until=HOUR), HOUR, remaining=0) is None


def test_a_slow_job_is_judged_by_its_last_64() -> None:
    progress = steady(300, until=24 * HOUR)
    found = eta(progress, 24 * HOUR + 299, remaining=10)
    assert found is not None
    assert found.best - 24 * HOUR - 299 == pytest.approx(3000, rel=0.02)


def test_a_job_of_long_requests_is_judged_by_twice_their_latency() -> None:
    progress = Progress(since=0.0)
    for burst in range(1, 13):
        progress.add(burst * 3000.0, 100, 100)
    quiet = 12 * 3000.0 + 2500
    assert eta(progress, quiet) is None
    found = eta(progress, quiet, latency=3000.0)
    assert found is not None
    assert found.best == pytest.approx(quiet + 1000 / (200 / 6000))
    assert found.high >= found.best + 3000


def test_what_only_repeats_is_no_progress() -> None:
    progress = Progress(since=0.0)
    for at in range(0, 3600, 10):
        progress.add(float(at), 0, 1)
    assert eta(progress, HOUR) is None


def test_the_spread_of_recent_rates_makes_low_and_high() -> None:
    random = Random(1)
    progress, at = Progress(since=0.0), 0.0
    while (at := at + random.expovariate(0.25)) < 3 * HOUR:
        progress.add(at, 1, 1)
    found = eta(progress, 3 * HOUR, remaining=10_000)
    assert found is not None
    assert found.low < found.best < found.high
    assert (found.high - found.low) / (found.best - 3 * HOUR) < 0.6
    assert found.low < 3 * HOUR + 40_000 < found.high


def test_progress_keeps_a_bounded_number_of_marks_and_all_that_was_done() -> None:
    progress = steady(7, until=50 * HOUR)
    assert len(progress.marks) <= 720
    assert sum(done for _, done in progress.marks) == 50 * HOUR // 7
    found = eta(progress, 50 * HOUR)
    assert found is not None
    assert found.best - 50 * HOUR == pytest.approx(7000, rel=0.02)


def minutes(answers: list[Answer], *, latencies: bool) -> Iterator[tuple[float, Eta | None]]:
    """Yield each minute of a job with what is told then of its end."""
    state = JobState(JobConfig(files="", total=len(answers)))
    state.caught_up(0.0)
    position = 0
    for minute in range(1, int(answers[-1].at // 60) + 1):
        now, arrived = minute * 60.0, position
        while position < len(answers) and answers[position].at <= now:
            position += 1
        took = [(answer.latency,) if latencies else () for answer in answers[arrived:position]]
        state.fold([Record(settles=True, completions=1, latencies=each) for each in took], now, live=True)
        yield now, state.eta(now)


@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("writer", ["each answer at once", "forty answers at a time, latencies not told"])
def test_a_day_with_a_burst_a_dip_and_a_drain(seed: int, writer: str) -> None:
    answers = list(day(Random(seed), 28_000))
    drain = next(answer.at for answer in answers if answer.draining)
    plain = writer.startswith("each")
    answers = answers if plain else in_order(answers, 40)
    end = answers[-1].at
    assert 23 * HOUR < end < 24 * HOUR
    inside, errors, told = [], [], 0
    for now, found in minutes(answers, latencies=plain):
        assert found is None or now < found.low <= found.best <= found.high
        if found and 2 * HOUR < now < drain:
            inside.append(found.low <= end <= found.high)
            errors.append(abs(found.best - end) / (end - now))
        told += found is not None
    print(f"seed {seed}, {writer}: inside {mean(inside):.3f}, mean error {mean(errors):.3f} of the time to go")
    assert len(inside) == pytest.approx((drain - 2 * HOUR) / 60, abs=2)
    assert told > len(inside) + 100
    assert mean(inside) >= 0.9
    assert mean(errors) < 0.15


def test_in_the_drain_the_end_stays_ahead_until_nothing_comes_any_more() -> None:
    answers = list(day(Random(1), 2000, dip=(0.0, 0.0)))
    drain = next(answer.at for answer in answers if answer.draining)
    told = [(now, found) for now, found in minutes(answers, latencies=True) if now > drain]
    assert len(told) > 10
    ends = [found.best for _, found in told if found]
    assert all(found.best > now for now, found in told if found)
    assert ends[-1] > ends[0]  # the longest answers come last, so the end moves away
    assert all(found.high > answers[-1].at for _, found in told if found)
