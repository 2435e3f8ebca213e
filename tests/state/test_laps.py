"""Ranks that print out of step, summed once a lap."""

from sglang_exporter.state.laps import Lap, Laps


def line(at: float, running: float = 4, speed: float = 100.0, joined: float = 0) -> Lap:
    return Lap(at, running, 0, 0.5, speed, joined)


def test_a_lap_is_over_when_a_rank_prints_again() -> None:
    laps = Laps()
    assert laps.decode("0", line(0)) is None
    assert laps.decode("1", line(1, running=6)) is None
    first = laps.decode("0", line(4))
    assert first is not None
    assert (first.running, first.speed) == (10, None)
    assert laps.decode("1", line(5, running=6)) is None
    second = laps.decode("0", line(8))
    assert second is not None
    assert (second.running, second.speed) == (10, 200)


def test_the_first_speed_of_a_rank_averages_over_a_pause_and_is_left_out() -> None:
    laps = Laps()
    laps.decode("", line(0, speed=1.14))
    first, second = laps.decode("", line(4)), laps.decode("", line(8))
    assert first is not None
    assert first.speed is None
    assert second is not None
    assert second.speed == 100


def test_a_rank_that_fell_silent_is_not_in_the_sum() -> None:
    laps = Laps()
    laps.decode("1", line(0))
    sums = [lap.running for second in range(9) if (lap := laps.decode("0", line(second)))]
    assert sums[0] == 8
    assert sums[-1] == 4


def test_what_a_prefill_line_lets_in_runs_from_then_on() -> None:
    laps = Laps()
    laps.decode("", line(0, running=4))
    laps.prefill("", line(1, running=4, joined=3))
    assert laps.running == 7
    lap = laps.decode("", line(2, running=7))
    assert lap is not None
    assert (lap.running, lap.joined) == (7, 3)


def test_on_a_server_that_only_prefills_a_lap_is_over_with_the_next_prefill_line() -> None:
    laps = Laps()
    assert laps.prefill("", line(0, running=0, joined=3)) is None
    lap = laps.prefill("", line(1, running=0, joined=5))
    assert lap is not None
    assert (lap.running, lap.joined, lap.speed) == (3, 3, None)


def test_once_a_rank_decodes_its_prefill_lines_end_no_lap() -> None:
    laps = Laps()
    laps.prefill("", line(0, joined=3))
    assert laps.decode("", line(1)) is None
    assert laps.prefill("", line(2, joined=1)) is None
    lap = laps.decode("", line(3))
    assert lap is not None
    assert (lap.joined, lap.speed) == (4, None)
