"""The rounds of the loop, as far as others have to do with them: a page may ask for one that begins now."""

import threading
from collections.abc import Callable


class Rounds:
    """Knows when the loop waits between two rounds, and when the next one has ended."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._waits = False
        self._begun = self._ended = 0

    def wait(self, wait: Callable[[], None]) -> None:
        """Wait between two rounds, by what is given; the next one begins after that."""
        self._note(waits=True)
        wait()
        self._note(waits=False)

    def end(self) -> None:
        """Say that a round has ended."""
        with self._changed:
            self._ended = self._begun
            self._changed.notify_all()

    def ask(self, wake: Callable[[], None], seconds: float) -> None:
        """Return after the next round, which `wake` makes begin, or so many seconds; at once in the midst of one.

        For one that goes on for long, as while history is read, nobody waits.
        """
        with self._changed:
            if not self._waits:
                return
            wake()
            wanted = self._begun + 1
            self._changed.wait_for(lambda: self._ended >= wanted, seconds)

    def _note(self, *, waits: bool) -> None:
        with self._changed:
            self._waits = waits
            self._begun += not waits
