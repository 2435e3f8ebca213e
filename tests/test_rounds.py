"""Who asks for a round gets one that begins after that, and waits for none that goes on for long."""

import threading
from collections.abc import Callable
from queue import SimpleQueue

import pytest

from sglang_exporter.rounds import Rounds

LONG = 60.0


class Loop:
    """A loop in a thread of its own: it waits until it is woken, and its next round goes on until it is `let`."""

    def __init__(self) -> None:
        self.rounds = Rounds()
        self.seen: list[str] = []
        self.file = "old"
        self._woken: SimpleQueue[None] = SimpleQueue()
        self._go_on: SimpleQueue[None] = SimpleQueue()
        self._waits = threading.Event()
        self.thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self.thread.start()
        self._waits.wait()

    def wake(self) -> None:
        self._woken.put(None)

    def let(self) -> None:
        self._go_on.put(None)

    def _run(self) -> None:
        self.rounds.end()
        self.rounds.wait(self._wait)
        self.seen.append(self.file)
        self._go_on.get()
        self.rounds.end()

    def _wait(self) -> None:
        self._waits.set()
        self._woken.get()


@pytest.fixture
def loop() -> Loop:
    return Loop()


def fail() -> None:
    raise AssertionError("woken")


def test_in_the_midst_of_a_round_nobody_waits_or_wakes(loop: Loop) -> None:
    loop.rounds.ask(fail, LONG)
    loop.start()
    loop.wake()
    while not loop.seen:
        pass
    loop.rounds.ask(fail, LONG)
    loop.let()
    loop.thread.join()


def test_a_loop_that_waits_is_woken_and_its_round_awaited(loop: Loop) -> None:
    loop.start()
    loop.file = "new"
    loop.let()
    loop.rounds.ask(loop.wake, LONG)
    assert loop.seen == ["new"]
    loop.thread.join()


@pytest.mark.parametrize("wake", [lambda loop: loop.wake(), lambda _: None], ids=["stuck", "deaf"])
def test_for_a_round_that_does_not_end_it_is_not_waited_long(loop: Loop, wake: Callable[[Loop], None]) -> None:
    loop.start()
    loop.rounds.ask(lambda: wake(loop), 0.01)
    loop.wake()
    loop.let()
    loop.thread.join()
