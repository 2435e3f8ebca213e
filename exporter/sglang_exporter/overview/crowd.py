"""One page for many who ask at once, so that those who look on never cost more than one thread."""

import threading
from collections.abc import Callable


class Crowd:
    """Makes a page when asked; who asks while one is made waits for the next, and shares it.

    So a page is never older than the question. Where one fails, the next who waits tries anew.
    """

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make
        self._changed = threading.Condition()
        self._busy = False
        self._begun = self._made = 0
        self._page = ""

    def __call__(self) -> str:
        """Return a page that was begun after this was called; raises what its making raises."""
        with self._changed:
            wanted = self._begun + 1
            self._changed.wait_for(lambda: not self._busy or self._made >= wanted)
            if self._made >= wanted:
                return self._page
            self._busy = True
            self._begun += 1
            number = self._begun
        page = None
        try:
            page = self._make()
        finally:
            with self._changed:
                self._busy = False
                if page is not None:
                    self._made, self._page = number, page
                self._changed.notify_all()
        return page
