"""Numbers, times and durations as a report writes them."""

import pytest

from sglang_exporter.durations import duration
from sglang_exporter.report.figures import Estimate
from sglang_exporter.report.words import clock, estimate, number, percent


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (376_029.0, "376,029"),
        (1351.4, "1,351"),
        (43.27, "43.3"),
        (8.0, "8"),
        (4.59, "4.59"),
        (0.275, "0.275"),
        (0, "0"),
    ],
)
def test_numbers(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("mean", "half", "text"),
    [(1510.0, 278.0, "1,510 ± 278"), (0.275, 0.0005, "0.275 ± 0.0005"), (600.0, 1e-7, "600 ± 0.0")],
)
def test_half_an_interval_has_the_decimals_of_its_mean(mean: float, half: float, text: str) -> None:
    assert estimate(Estimate(mean, mean - half, mean + half, 10)) == text


def test_a_mean_without_an_interval() -> None:
    assert estimate(Estimate(4.6), "requests/s") == "4.60 requests/s"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (94, "94 s"),
        (259, "4 min 19 s"),
        (6536, "109 min"),
        (7460, "2.1 h"),
        (320_000, "88.9 h (3.7 days)"),
    ],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_time_of_the_same_day_has_no_date() -> None:
    assert clock(1_795_968_000) == "2026-11-29 16:00:00"
    assert clock(1_795_968_060, 1_795_968_000) == "16:01:00"
    assert clock(1_796_054_400, 1_795_968_000) == "2026-11-30 16:00:00"


def test_shares() -> None:
    assert percent(0.934) == "93 %"
    assert percent(0.166, 1) == "16.6 %"
