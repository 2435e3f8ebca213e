"""When the loop is woken: by changes, by `wake`, and by the clock."""

import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from follow.observing import Observed
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.wake import FolderWaker
from sglang_exporter.follow.waker import Waker

LONG = 60.0
"""Seconds that no wait of these tests takes, because something ends it."""


@pytest.fixture
def observed() -> Observed:
    return Observed()


@pytest.fixture
def waker(observed: Observed, clock: FixedClock, tmp_path: Path) -> Iterator[FolderWaker]:
    waker = FolderWaker(gather=0.0, new_observer=observed, monotonic=clock.now)
    waker.watch([str(tmp_path)])
    yield waker
    waker.close()


def took(waker: Waker, timeout: float = LONG) -> float:
    began = time.monotonic()
    waker.wait(timeout)
    return time.monotonic() - began


@pytest.mark.parametrize("change", ["append", "create", "rename", "delete"])
def test_a_change_in_a_folder_ends_a_wait(tmp_path: Path, change: str) -> None:
    path = tmp_path / "server.log"
    path.touch()
    waker = FolderWaker()
    waker.watch([str(tmp_path)])
    match change:
        case "append":
            path.write_bytes(b"one\n")
        case "create":
            (tmp_path / "other.log").touch()
        case "rename":
            path.rename(tmp_path / "server.log.1")
        case _:
            path.unlink()
    assert took(waker) < LONG
    assert waker.backend == "inotify"
    waker.close()


def test_a_wait_without_a_change_lasts_as_long_as_it_is_told(waker: FolderWaker) -> None:
    assert 0.05 <= took(waker, 0.05) < LONG


def test_many_changes_end_one_wait(waker: FolderWaker, observed: Observed) -> None:
    observed.change(times=50)
    assert took(waker) < LONG
    assert took(waker, 0.05) >= 0.05


def test_a_change_after_a_quiet_time_is_not_held_up(observed: Observed, clock: FixedClock, tmp_path: Path) -> None:
    waker = FolderWaker(gather=LONG, new_observer=observed, monotonic=clock.now)
    waker.watch([str(tmp_path)])
    clock.time += LONG
    observed.change()
    assert took(waker) < LONG
    waker.close()


def test_changes_soon_after_a_wait_are_gathered(observed: Observed, clock: FixedClock, tmp_path: Path) -> None:
    waker = FolderWaker(gather=0.1, new_observer=observed, monotonic=clock.now)
    waker.watch([str(tmp_path)])
    observed.change()
    assert 0.1 <= took(waker) < LONG
    waker.close()


def test_wake_ends_a_wait_from_another_thread(waker: FolderWaker) -> None:
    thread = threading.Timer(0.01, waker.wake)
    thread.start()
    assert took(waker) < LONG
    thread.join()


def test_wake_ends_a_wait_from_a_signal_handler(waker: FolderWaker) -> None:
    before = signal.signal(signal.SIGALRM, lambda *_: waker.wake())
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    assert took(waker) < LONG
    signal.signal(signal.SIGALRM, before)


def test_wake_does_not_wait_for_changes_to_be_gathered(observed: Observed, clock: FixedClock, tmp_path: Path) -> None:
    waker = FolderWaker(gather=LONG, new_observer=observed, monotonic=clock.now)
    waker.watch([str(tmp_path)])
    observed.change()
    waker.wake()
    assert took(waker) < LONG
    waker.close()


def test_changes_that_come_too_fast_are_left_alone_for_a_while(
    waker: FolderWaker, observed: Observed, clock: FixedClock, tmp_path: Path
) -> None:
    observed.change(times=101)
    clock.time += 1.0
    waker.wait(LONG)
    assert observed.watched == set()
    waker.watch([str(tmp_path)])
    assert observed.watched == set()
    assert (waker.backend, waker.alive()) == ("inotify", True)
    assert 0.05 <= took(waker, 0.05) < LONG
    clock.time += 30.0
    waker.wait(0.0)
    assert observed.watched == {str(tmp_path)}


def test_they_are_left_alone_as_soon_as_there_are_too_many(
    waker: FolderWaker, observed: Observed, clock: FixedClock
) -> None:
    clock.time += 0.1
    observed.change(times=101)
    waker.wait(LONG)
    assert observed.watched == set()


def test_changes_at_a_bearable_rate_are_not(waker: FolderWaker, observed: Observed, clock: FixedClock) -> None:
    for _ in range(5):
        observed.change(times=99)
        clock.time += 1.0
        waker.wait(LONG)
    assert len(observed.observers) == 1
    assert observed.watched


def test_closing_leaves_no_thread(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    waker = FolderWaker()
    waker.watch([str(tmp_path)])
    assert set(threading.enumerate()) > before
    waker.close()
    assert set(threading.enumerate()) == before
