"""The path of an hour: a step for each mean, and nothing where nothing was."""

from array import array
from math import inf, nan

import pytest

from sglang_exporter.metrics.recent import MOMENTS
from sglang_exporter.overview.curve import Reach, Scale, across, curve, known, reach

UNIT = Scale(0.0, 100.0)
FINE = Reach(MOMENTS, 6)


def hour(*values: float) -> "array[float]":
    """Return an hour that ends with these values, with nothing before."""
    return array("f", [nan] * (MOMENTS - len(values)) + list(values))


@pytest.mark.parametrize(
    ("values", "path"),
    [
        ((), ""),
        ((0.0,) * MOMENTS, "M0 100h120"),
        ((25.0,) * 12, "M118 75h2"),
        ((25.0,) * 6 + (100.0,) * 6, "M118 75h1V0h1"),
        ((0.0, 20.0, 40.0, 0.0, 20.0, 40.0), "M119 80h1"),
        ((50.0,), "M119 50h1"),
        ((50.0, nan, nan, nan, nan, nan, 100.0), "M118 50h1V0h1"),
        ((10.0,) * 6 + (nan,) * 6 + (10.0,) * 6, "M117 90h1M119 90h1"),
        ((10.0,) * 5 + (inf,), "M119 90h1"),
    ],
)
def test_a_path(values: tuple[float, ...], path: str) -> None:
    assert curve(hour(*values), UNIT, FINE) == path


def test_a_coarse_path_has_half_as_many_steps() -> None:
    assert curve(hour(*(25.0,) * 12), UNIT, Reach(MOMENTS, 12)) == "M59 75h1"


def test_a_curve_may_begin_above_zero_and_one_that_does_not_move_lies_at_the_bottom() -> None:
    assert curve(hour(*(150.0,) * 6), Scale(100.0, 200.0), FINE) == "M119 50h1"
    assert curve(hour(*(150.0,) * 6), Scale(150.0, 150.0), FINE) == "M119 100h1"
    assert curve(hour(*(0.0,) * 6), Scale(0.0, 0.0), FINE) == "M119 100h1"


def test_a_line_across() -> None:
    assert across(90.0, UNIT, FINE) == "M0 10H120"


def test_what_is_known() -> None:
    assert list(known(array("f", [1.0, nan, inf, 2.0]))) == [1.0, 2.0]
    assert list(known(array("f", [1.0, 2.0]))) == [1.0, 2.0]


@pytest.mark.parametrize(
    ("looked", "minutes"), [(0, 5), (1, 5), (60, 5), (61, 15), (180, 15), (181, 60), (MOMENTS, 60), (10 * MOMENTS, 60)]
)
@pytest.mark.parametrize("coarse", [True, False])
def test_charts_go_back_as_far_as_there_is_something(looked: int, minutes: int, *, coarse: bool) -> None:
    back = reach(looked, coarse=coarse)
    assert back.minutes == minutes
    assert back.moments % back.step == 0
    assert 30 <= back.width <= 120
    assert curve(hour(*(25.0,) * back.step), UNIT, back) == f"M{back.width - 1} 75h1"
