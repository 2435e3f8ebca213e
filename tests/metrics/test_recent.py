"""The last hour in memory: a value each five seconds, gaps where there was none, and never more than an hour."""

from math import isnan

import pytest

from sglang_exporter.config import JobConfig, Thresholds
from sglang_exporter.metrics.recent import MOMENTS, STEP, Hour, Recent
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import FollowedJob, FollowedServer, Store
from sglang_exporter.state.windows import windows
from support.servers import LoggedServer, decode, start

NOW = 1_000_000 * STEP
HOUR = MOMENTS * STEP


class Lived:
    """A store with servers and jobs that are followed, and the hour that is kept of them."""

    def __init__(self) -> None:
        self.store = Store()
        self.recent = Recent(self.store, lambda: 0)
        self.now = NOW

    def server(self, name: str = "a") -> LoggedServer:
        server = LoggedServer()
        source = SourceState(up=True, caught_up=True)
        self.store.servers[name] = FollowedServer(server.state, source, "online", Thresholds())
        return server

    def job(self) -> JobState:
        state = JobState(JobConfig(files="x", total=1000), windows(["10s"]))
        self.store.jobs["j"] = FollowedJob(state, SourceState(up=True, caught_up=True))
        return state

    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.recent.look(self.now)

    def hour(self, name: str = "a") -> Hour:
        return self.recent.hours(self.now)["server", name]

    def speeds(self, name: str = "a") -> list[float | None]:
        return [None if isnan(value) else value for value in self.hour(name)["speed"]]


def test_the_hour_ends_with_now_and_begins_with_nothing() -> None:
    lived = Lived()
    server = lived.server()
    for speed in (100.0, 200.0, 300.0):
        server.read(decode("10:00:00", running=7, queue=5, speed=speed, usage=0.25))
        lived.wait(STEP)
    assert lived.speeds() == [None] * (MOMENTS - 3) + [100.0, 200.0, 300.0]
    assert {name: values[-1] for name, values in lived.hour().items()} == {
        "speed": 300.0,
        "running": 7.0,
        "queued": 5.0,
        "usage": 0.25,
    }


def test_looking_more_often_takes_no_more() -> None:
    lived = Lived()
    lived.server().read(decode("10:00:00", speed=100.0))
    for _ in range(50):
        lived.wait(STEP / 10)
    assert lived.speeds().count(100.0) == 6


def test_an_hour_is_all_that_is_kept() -> None:
    lived = Lived()
    server = lived.server()
    for number in range(2 * MOMENTS):
        server.read(decode("10:00:00", speed=float(number)))
        lived.wait(STEP)
    assert lived.speeds() == [float(number) for number in range(MOMENTS, 2 * MOMENTS)]


@pytest.mark.parametrize("silence", [3 * STEP, HOUR / 2, HOUR - STEP])
def test_a_loop_that_did_not_look_leaves_a_gap(silence: float) -> None:
    lived = Lived()
    lived.server().read(decode("10:00:00", speed=100.0))
    lived.wait(0)
    lived.wait(silence)
    assert lived.speeds() == [
        *[None] * int((HOUR - silence) / STEP - 1),
        100.0,
        *[None] * int(silence / STEP - 1),
        100.0,
    ]


def test_what_nobody_looked_at_until_now_is_a_gap_too() -> None:
    lived = Lived()
    lived.server().read(decode("10:00:00", speed=100.0))
    lived.wait(0)
    lived.now += 10 * STEP
    assert lived.speeds()[-11:] == [100.0, *[None] * 10]
    lived.now += 2 * HOUR
    assert set(lived.speeds()) == {None}


def test_what_was_more_than_an_hour_ago_takes_no_memory() -> None:
    lived = Lived()
    lived.server().read(decode("10:00:00", speed=100.0))
    lived.wait(0)
    lived.store.servers["a"].state.engines.clear()
    lived.wait(HOUR - STEP)
    assert lived.speeds() == [100.0] + [None] * (MOMENTS - 1)
    lived.wait(STEP)
    assert lived.hour() == {}


def test_a_clock_that_is_set_back_begins_a_new_hour() -> None:
    lived = Lived()
    lived.server().read(decode("10:00:00", speed=100.0))
    for _ in range(5):
        lived.wait(STEP)
    lived.wait(-STEP)
    assert lived.speeds().count(100.0) == 5
    lived.wait(-1000.0)
    assert lived.speeds() == [None] * (MOMENTS - 1) + [100.0]


def test_what_is_followed_no_more_is_forgotten() -> None:
    lived = Lived()
    lived.server("a").read(decode("10:00:00", speed=100.0))
    lived.server("b").read(decode("10:00:00", speed=200.0))
    lived.wait(0)
    del lived.store.servers["a"]
    lived.wait(STEP)
    assert lived.recent.hours(lived.now).keys() == {("server", "b")}
    assert lived.speeds("b").count(200.0) == 2


def test_nothing_is_taken_of_a_backlog() -> None:
    lived = Lived()
    lived.server().read(decode("10:00:00"))
    lived.store.servers["a"].source.caught_up = False
    lived.wait(0)
    assert lived.recent.hours(lived.now) == {}


def test_counters_tell_how_much_they_rose_while_it_was_looked() -> None:
    lived = Lived()
    server = lived.server().read(start("10:00:00"))
    lived.wait(0)
    assert "starts" not in lived.hour()
    for _ in range(3):
        server.read("[2026-11-29 10:00:01] The server is fired up and ready to roll!", start("10:00:02", tp_size=2))
        lived.wait(STEP)
        lived.wait(STEP)
    assert sum(value for value in lived.hour()["starts"] if not isnan(value)) == 3


def test_a_job_tells_its_rates_and_what_is_done() -> None:
    lived = Lived()
    state = lived.job()
    lived.wait(0)
    assert lived.recent.hours(lived.now)["job", "j"].keys() == {"done"}
    state.caught_up(lived.now)
    lived.wait(10.0)
    state.fold([Record(settles=True, completions=1, output_tokens=50, lengths=(50,))] * 4, lived.now, live=True)
    lived.wait(STEP)
    hour = lived.recent.hours(lived.now)["job", "j"]
    assert (hour["done"][-1], hour["completions"][-1], hour["tokens"][-1]) == pytest.approx((4.0, 0.4, 20.0))


def test_how_long_it_has_looked() -> None:
    lived = Lived()
    assert lived.recent.looked(lived.now) == 0
    lived.wait(0)
    assert lived.recent.looked(lived.now) == 1
    lived.wait(10 * STEP)
    assert lived.recent.looked(lived.now) == 11
    lived.wait(2 * HOUR)
    assert lived.recent.looked(lived.now) == MOMENTS
    lived.wait(-HOUR)
    assert lived.recent.looked(lived.now) == 1
