"""The derived rates: what arrived within (now - span, now]."""

from random import Random

import pytest

from sglang_exporter.config import window_seconds
from sglang_exporter.state.windows import Amount, Window, windows


def test_a_window_is_open_at_its_beginning_and_closed_at_its_end() -> None:
    window = Window(120.0)
    window.add(1000.0, Amount(6, 600, 60))
    assert window.rates(999.9) == Amount()
    assert window.rates(1000.0) == Amount(6 / 120, 5.0, 0.5)
    assert window.rates(1119.9) == Amount(6 / 120, 5.0, 0.5)
    assert window.rates(1120.0) == Amount()


def test_a_burst_is_no_more_than_what_arrived() -> None:
    window = Window(600.0)
    for _ in range(50):
        window.add(1000.0, Amount(1, 10, 0))
    assert window.rates(1000.0).completions == 50 / 600
    assert len(window.marks) == 1


def test_a_window_keeps_a_bounded_number_of_marks() -> None:
    window = Window(600.0)
    for tick in range(100_000):
        window.add(tick / 10, Amount(1, 2, 3))
    assert len(window.marks) <= 242
    assert window.rates(9999.9).completions == pytest.approx(10, rel=0.01)


def test_what_left_the_window_is_dropped_whatever_comes_late() -> None:
    window = Window(10.0)
    for at in (0.0, 5.0, 100.0, 105.0):
        window.add(at, Amount(1))
    assert [time for time, _ in window.marks] == [100.0, 105.0]


def test_a_clock_set_back_loses_nothing_for_long() -> None:
    window = Window(10.0)
    window.add(1000.0, Amount(1))
    window.add(500.0, Amount(1))
    assert window.rates(500.0).completions == 0.1
    window.add(509.0, Amount(1))
    assert window.rates(509.0).completions == 0.2


@pytest.mark.parametrize("seed", range(10))
def test_rates_like_a_plain_sum(seed: int) -> None:
    random = Random(seed)
    window, arrivals, now = Window(60.0), [], 0.0
    for _ in range(300):
        now += random.choice([0.25, 1.0, 7.0, 30.0])
        arrivals.append((now, random.randrange(5)))
        window.add(now, Amount(arrivals[-1][1]))
        plain = sum(number for at, number in arrivals if now - 60 < at <= now) / 60
        assert window.rates(now).completions == pytest.approx(plain, abs=5 / 60)


@pytest.mark.parametrize(("text", "seconds"), [("90s", 90), ("2m", 120), ("1h", 3600), ("1d", 86400)])
def test_windows_are_written_with_a_unit(text: str, seconds: float) -> None:
    assert window_seconds(text) == seconds
    assert windows([text])[text].span == seconds


@pytest.mark.parametrize("text", ["", "2", "m", "0m", "-2m", "2 m", "1.5h", "2m30s"])
def test_no_window(text: str) -> None:
    with pytest.raises(ValueError, match="is no window"):
        window_seconds(text)
