"""MSER-5: where the first transient of a series ends."""

from random import Random

import pytest

from sglang_exporter.state.laps import Lap
from sglang_exporter.state.transient import Transient, truncation


def laps(speeds: list[float], usage: float = 0.5) -> Transient:
    transient = Transient()
    for second, speed in enumerate(speeds):
        transient.add(Lap(float(second), 10, 0, usage, speed))
    return transient


def test_the_cut_of_a_ramp_is_at_its_end() -> None:
    assert truncation([*range(10), *[10.0] * 20], 0.0) == 10
    assert truncation([7.0] * 20, 0.0) == 0


def test_a_series_that_still_climbs_has_no_end_of_its_transient() -> None:
    assert laps([float(second) for second in range(400)]).end() is None


def test_the_end_is_known_when_the_rest_is_as_long_as_the_ramp() -> None:
    ramp = [float(second) for second in range(100)]
    assert laps([*ramp, *[100.0] * 80]).end() is None
    assert laps([*ramp, *[100.0] * 110]).end() == pytest.approx(100, abs=10)


def test_usage_counts_as_well_as_speed() -> None:
    transient = Transient()
    for second in range(100):
        transient.add(Lap(float(second), 10, 0, second / 100, 500.0))
    assert transient.end() is None


@pytest.mark.parametrize("dips", [(), (70,), (70, 71), (60, 90, 120)])
def test_a_dip_of_a_line_or_two_is_no_transient(dips: tuple[int, ...]) -> None:
    random = Random(1)
    speeds = [random.gauss(1000, 10) for _ in range(150)]
    for dip in dips:
        speeds[dip] = 1.14
    end = laps(speeds).end()
    assert end is not None
    assert end < 75


def test_differences_below_the_printed_resolution_do_not_count() -> None:
    transient = Transient()
    for second in range(100):
        transient.add(Lap(float(second), 10, 0, 0.92 if second < 90 else 0.93, 500.0))
    assert transient.end() == 0


def test_old_batches_are_merged_when_there_are_many() -> None:
    transient = laps([1000.0] * 5000)
    assert len(transient.batches) < 64
    assert transient.number * 5 + len(transient.waiting) * 5 == 5000
    assert transient.end() == 0
