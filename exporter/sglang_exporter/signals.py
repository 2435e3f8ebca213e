"""What the process is told by signals: to stop, or to load its configuration anew."""

import signal
from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Protocol

_ENDS = (signal.SIGTERM, signal.SIGINT)
SIGNALS = (*_ENDS, signal.SIGHUP)
_BETWEEN_LOOKS = 2.0


class Reloads(Protocol):
    """What a `Reloader` does."""

    def changed(self) -> bool:
        """Tell whether the file is another than at the last look."""
        ...

    def reload(self) -> None:
        """Bring the configuration on disk into force."""
        ...


def told(sent: Callable[[], int] = lambda: signal.sigwait(SIGNALS)) -> Callable[[float], int | None]:
    """Return what waits so many seconds for the next signal that was `sent`; all threads are to block them.

    Of those that have come meanwhile, one to end is told before any other, and the others are told once: however many
    reloads are asked for, the end is near. A thread waits without end for each: CPython's own wait with a limit
    returns, after a SIGSTOP that outlasts it, a signal that was never sent.
    """
    queue = SimpleQueue[int]()

    def listen() -> None:
        while True:
            queue.put(sent())

    def following(patience: float) -> int | None:
        number = None
        with suppress(Empty):
            number = queue.get(timeout=patience)
            while number not in _ENDS:
                number = queue.get_nowait()
        return number

    Thread(target=listen, name="signals", daemon=True).start()
    return following


def wait(following: Callable[[float], int | None], reloader: Reloads, wake: Callable[[], None]) -> None:
    """Return when it is time to stop; until then load the configuration anew when told to, or when it has changed."""
    while (number := following(_BETWEEN_LOOKS)) not in _ENDS:
        if number == signal.SIGHUP or reloader.changed():
            reloader.reload()
            wake()
