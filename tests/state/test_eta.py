"""When a job will be done: not at all when that is a guess, never in the past, and between low and high."""

from collections.abc import Iterator
from heapq import heappop, heappush
from random import Random
from statistics import mean

import pytest

from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.eta import Eta, Progress
from sglang_exporter.state.job import JobState

HOUR = 3600.0


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


def day_of_a_job(random: Random) -> Iterator[tuple[float, float]]:
    """Yield when each answer comes and how long it took: 150 at a time, a burst of short ones at first, and a dip."""
    running: list[tuple[float, float]] = []
    started, now = 0, 0.0
    while started < 24_000 or running:
        while started < 24_000 and len(running) < 150:
            latency = random.lognormvariate(6.1, 0.6) * (2 if 10 * HOUR <= now < 10.5 * HOUR else 1)
            heappush(running, (now + latency, latency))
            started += 1
        now, latency = heappop(running)
        yield now, latency


@pytest.mark.parametrize("seed", [1, 2])
def test_a_day_with_a_burst_a_dip_and_a_drain(seed: int) -> None:
    answers = list(day_of_a_job(Random(seed)))
    end = answers[-1][0]
    state = JobState(JobConfig(files="", total=len(answers)))
    state.caught_up(0.0)
    inside, errors = [], []
    position = 0
    for minute in range(1, int(end // 60)):
        now = minute * 60.0
        arrived = position
        while answers[position][0] <= now:
            position += 1
        records = [Record(settles=True, completions=1, latencies=(took,)) for _, took in answers[arrived:position]]
        state.fold(records, now, live=True)
        found = state.eta(now)
        assert found is None or now < found.low <= found.best <= found.high
        if found and 2 * HOUR < now < end - 2 * HOUR:
            inside.append(found.low <= end <= found.high)
            errors.append(abs(found.best - end) / (end - now))
    print(f"inside {mean(inside):.3f}, mean error {mean(errors):.3f} of the time to go")
    assert len(inside) > 1000
    assert mean(inside) >= 0.9
