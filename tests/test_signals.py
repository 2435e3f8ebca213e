"""The configuration is loaded anew at a signal that was sent, or for a file that has changed, and for nothing else."""

import signal
from collections.abc import Iterator
from queue import SimpleQueue
from threading import Event

import pytest

from sglang_exporter.signals import told, wait

NOTHING = None


class Reloader:
    """Counts what it is asked for; `changes` says of each look at the file whether it has changed."""

    def __init__(self, *changes: bool) -> None:
        self.reloads = 0
        self.wakes = 0
        self._changes: Iterator[bool] = iter(changes)

    def changed(self) -> bool:
        return next(self._changes, False)

    def reload(self) -> None:
        self.reloads += 1

    def wake(self) -> None:
        self.wakes += 1


@pytest.mark.parametrize(
    ("signals", "changes", "reloads"),
    [
        ([], [], 0),
        ([signal.SIGHUP, signal.SIGHUP], [], 2),
        ([NOTHING, NOTHING, NOTHING], [], 0),
        ([NOTHING, NOTHING, NOTHING], [False, True, False], 1),
        ([signal.SIGHUP, NOTHING, NOTHING], [False, False], 1),
    ],
)
@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT])
def test_only_a_hang_up_or_a_changed_file_reloads(
    signals: list[int | None], changes: list[bool], reloads: int, end: int
) -> None:
    following, reloader = iter([*signals, end]), Reloader(*changes)
    wait(lambda _: next(following), reloader, reloader.wake)
    assert (reloader.reloads, reloader.wakes) == (reloads, reloads)
    assert next(following, None) is None


def test_signals_come_one_after_another_and_none_that_was_not_sent() -> None:
    sent = SimpleQueue[int]()
    following = told(sent.get)
    assert following(0.0) is None
    sent.put(signal.SIGHUP)
    assert following(60.0) == signal.SIGHUP
    sent.put(signal.SIGTERM)
    assert [following(60.0), following(0.0)] == [signal.SIGTERM, None]


@pytest.mark.parametrize("then", [[], [signal.SIGTERM], [signal.SIGINT]])
def test_of_signals_that_have_come_meanwhile_the_end_is_told_first_and_reloads_once(then: list[int]) -> None:
    signals, are_taken = iter([*[signal.SIGHUP] * 1000, *then]), Event()

    def sent() -> int:
        if number := next(signals, None):
            return number
        are_taken.set()
        return SimpleQueue[int]().get()

    following = told(sent)
    are_taken.wait()
    assert following(60.0) == (then or [signal.SIGHUP])[0]
    assert following(0.0) is None
