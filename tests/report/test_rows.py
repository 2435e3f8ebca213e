"""Laps in bounded memory: totals lose nothing when laps are left out."""

import pytest

from sglang_exporter.report.rows import Row, Rows


def row(at: float, speed: float = 100.0, **said: float) -> Row:
    return Row(**{**dict.fromkeys(Row._fields, 0.0), "at": at, "speed": speed, **said})


def test_of_many_laps_a_part_is_kept_and_no_total_is_lost() -> None:
    rows = Rows()
    for second in range(100_001):
        rows.add(row(second, generated=second * 7.0))
    assert 1000 <= len(rows) <= 2048
    assert rows.gain("generated") / rows.seconds == pytest.approx(7)
    assert rows.total("generated", 50_000.5) == pytest.approx(350_003.5)


def test_a_total_before_the_first_and_after_the_last_lap_is_theirs() -> None:
    rows = Rows()
    for second in (10, 20):
        rows.add(row(second, generated=float(second)))
    assert [rows.total("generated", at) for at in (0, 10, 15, 20, 99)] == [10, 10, 15, 20, 20]
    assert Rows().total("generated", 5) == 0


def test_a_lap_out_of_order_is_left_out() -> None:
    rows = Rows()
    for second in (10, 20, 15, 30):
        rows.add(row(second))
    assert list(rows.column("at")) == [10, 20, 30]


def test_a_speed_that_was_not_told_is_none() -> None:
    rows = Rows()
    rows.add(row(1, speed=float("nan")))
    rows.add(row(2, speed=5))
    assert rows.speeds() == [5]


def test_laps_between_two_times() -> None:
    rows = Rows()
    for second in range(10):
        rows.add(row(second))
    assert list(rows.between(3, 5).column("at")) == [3, 4, 5]
    assert len(rows.between(20, 30)) == 0
