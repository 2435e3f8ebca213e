"""The plot of a run: no wider than it may be, and blank where nothing was printed."""

from sglang_exporter.report.findings import Point
from sglang_exporter.report.plot import plot

START = 1_795_968_000.0


def points(speeds: list[float | None]) -> list[Point]:
    return [
        Point(START + 60 * i, speed, None if speed is None else 0.5, "idle" if speed is None else "steady")
        for i, speed in enumerate(speeds)
    ]


def test_it_fits_and_shows_each_phase() -> None:
    lines = plot(points([100.0] * 60 + [None] * 60), 80)
    assert max(len(line.text) for line in lines) <= 80
    phases = next(line.text for line in lines if line.what == "phase").split()[1]
    assert phases == "=" * 35 + "_" * 35
    assert lines[-1].text.split() == ["=", "steady", "_", "idle"]


def test_bars_are_as_high_as_their_values() -> None:
    top, *_, bottom = [line.text[10:] for line in plot(points([100.0, 50.0, None, 0.0]), 14) if line.what == "speed"]
    assert top == "█   "
    assert bottom == "██  "


def test_a_short_run_is_drawn_as_wide_as_a_long_one() -> None:
    assert len(plot(points([1.0, 2.0]), 50)[0].text) == 50


def test_the_axis_says_when() -> None:
    axis = next(line.text for line in plot(points([1.0] * 100), 80) if "UTC" in line.text)
    assert axis.split() == ["UTC", "2026-11-29", "16:00:00", "17:39:00"]
