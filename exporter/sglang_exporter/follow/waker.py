"""What ends a wait, as far as the loop knows it: nothing here imports watchdog, which takes 10 ms of every start."""

from collections.abc import Iterable
from typing import Protocol


class Waker(Protocol):
    """What the loop waits on between two looks at the files."""

    @property
    def backend(self) -> str:
        """How changes are noticed: `inotify`, or `polling` by the clock alone."""
        ...

    def wait(self, timeout: float) -> None:
        """Return after `timeout` seconds, or as soon as there is something to look at."""
        ...

    def watch(self, folders: Iterable[str]) -> None:
        """Take hints from exactly these folders."""
        ...

    @property
    def looks_again(self) -> bool:
        """Whether there is another look after a wait; without, what is there is read to its end at once."""
        ...

    def readable(self, descriptor: int) -> bool:
        """Tell whether a pipe has something to read, or has ended; if not, a wait ends as soon as it has."""
        ...

    def alive(self) -> bool:
        """Tell whether hints come from every folder that they are expected from."""
        ...

    def close(self) -> None:
        """Take no more hints."""
        ...
