"""Which ids of a job are done. They are kept as hashes, are rebuilt from the files and never stored."""


class Ids:
    """Ids with what the last record of each said: how much is done by it (`done`), and how much of that well (`good`).

    Nearly all are worth one, good or bad: these are in sets, which takes about 65 MB a million.
    """

    def __init__(self) -> None:
        self.done = 0
        self.good = 0
        self._good: set[int] = set()
        self._bad: set[int] = set()
        self._other: dict[int, tuple[int, int]] = {}

    def __contains__(self, key: int) -> bool:
        return key in self._good or key in self._bad or key in self._other

    def settle(self, key: int, done: int, good: int) -> bool:
        """Let a record decide its id; tell whether one had before."""
        known = self.forget(key)
        if (done, good) == (1, 1):
            self._good.add(key)
        elif (done, good) == (1, 0):
            self._bad.add(key)
        else:
            self._other[key] = (done, good)
        self.done += done
        self.good += good
        return known

    def forget(self, key: int) -> bool:
        """Forget an id; tell whether it was there."""
        if key in self._good:
            self._good.remove(key)
            done, good = 1, 1
        elif key in self._bad:
            self._bad.remove(key)
            done, good = 1, 0
        elif key in self._other:
            done, good = self._other.pop(key)
        else:
            return False
        self.done -= done
        self.good -= good
        return True
