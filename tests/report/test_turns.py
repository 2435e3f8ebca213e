"""The phases of a run, each dated back to when it began."""

from sglang_exporter.report.turns import Turns
from sglang_exporter.state.phase import Phase, Turn


def turns(*told: tuple[Phase, float]) -> Turns:
    found = Turns()
    for phase, since in told:
        found.add(Turn(phase, since))
    return found


def test_a_phase_takes_back_what_was_told_since_it_began() -> None:
    found = turns(("warmup", 0), ("steady", 50), ("idle", 90), ("drain", 80), ("idle", 95))
    assert found.seconds(100) == {"warmup": 50, "steady": 30, "drain": 15, "idle": 5}


def test_the_same_phase_again_goes_on() -> None:
    assert turns(("steady", 0), ("drain", 50), ("steady", 0)).seconds(60) == {"steady": 60}


def test_the_longest_stretch_of_a_phase() -> None:
    found = turns(("steady", 0), ("idle", 10), ("steady", 20), ("idle", 70))
    longest = found.longest("steady", 100)
    assert longest is not None
    assert (longest.begin, longest.end) == (20, 70)
    assert found.longest("stalled", 100) is None


def test_thousands_of_phases_are_summed_up() -> None:
    told: list[tuple[Phase, float]] = []
    for hour in range(10_000):
        told += [("steady", hour * 10.0), ("idle", hour * 10.0 + (9 if hour == 5 else 4))]
    found = turns(*told)
    assert found.seconds(100_000)["steady"] == 40_005
    longest = found.longest("steady", 100_000)
    assert longest is not None
    assert longest.begin == 50


def test_the_phase_at_a_time() -> None:
    found = turns(("warmup", 10), ("steady", 20))
    assert [found.at(time) for time in (0, 10, 19, 25)] == [None, "warmup", "warmup", "steady"]


def test_a_log_that_tells_no_phase_has_none() -> None:
    assert Turns().seconds(10) == {}
    assert Turns().longest("steady", 10) is None
