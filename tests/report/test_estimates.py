"""Means with intervals: they cover the truth as often as they say, and tell what can't be told apart."""

from random import Random

import pytest

from sglang_exporter.report.estimates import difference, of_batches, of_series, over_time, percentile, spread
from sglang_exporter.state.laps import Lap
from sglang_exporter.state.phase import Spell
from support.series import Series, series


def steady_speeds(run: Series) -> list[float]:
    """Return the speeds of the steady window that the phases find."""
    spell, laps = Spell(), list[Lap]()
    for line in run.lines:
        if line.kind == "retract":
            spell.retract(line.said.running)
            continue
        before = spell.lap
        spell.fold(line.kind, line.rank, line.said)
        if spell.lap and spell.lap is not before:
            laps.append(spell.lap)
    assert spell.warm is not None
    drained = spell.fall.began if spell.fall.sure or spell.fall.likely else None
    end = float("inf") if drained is None else drained
    return [lap.speed for lap in laps if spell.warm <= lap.at <= end and lap.speed is not None]


@pytest.mark.slow
def test_the_interval_covers_the_truth_in_90_to_99_percent_of_a_thousand_runs() -> None:
    covered = 0
    for seed in range(1000):
        run = series(seed)
        found = of_series(steady_speeds(run))
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= run.mean <= found.high
    assert 900 <= covered <= 990


def test_the_interval_respects_that_neighbours_are_alike() -> None:
    random, values, drift = Random(1), list[float](), 0.0
    for _ in range(500):
        drift = 0.95 * drift + random.gauss(0, 1)
        values.append(100 + drift)
    alike, shuffled = of_series(values), of_series(random.sample(values, len(values)))
    assert alike.mean == pytest.approx(shuffled.mean)
    assert alike.half is not None
    assert shuffled.half is not None
    assert alike.half > 2 * shuffled.half


def test_too_few_values_have_no_interval() -> None:
    assert of_series([1.0, 2.0, 3.0]).half is None
    assert of_batches([5.0]).half is None


def test_the_spread_of_values() -> None:
    found = spread([float(value) for value in range(101)])
    assert (found.median, found.p5, found.p95) == (50, 5, 95)
    assert percentile([1.0, 2.0], 0.5) == 1.5


def test_a_total_over_time() -> None:
    found = over_time(lambda at: 3 * at, 100, 200, 10)
    assert found.mean == pytest.approx(3)
    assert found.half == pytest.approx(0)


def test_a_difference_that_chance_may_make_is_not_distinguishable() -> None:
    noisy = of_batches([90.0, 110.0, 95.0, 105.0])
    assert difference(noisy, of_batches([95.0, 112.0, 99.0, 104.0])).distinguishable is False
    found = difference(noisy, of_batches([195.0, 212.0, 199.0, 204.0]))
    assert found.distinguishable is True
    assert found.low is not None
    assert found.low < found.by == 102.5
    assert difference(noisy, of_batches([100.0])).distinguishable is None
