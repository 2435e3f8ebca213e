"""Which ids of a job are done. They are kept as hashes, are rebuilt from the files and never stored."""

from collections.abc import Iterator


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

    def __len__(self) -> int:
        return len(self._good) + len(self._bad) + len(self._other)

    def items(self) -> Iterator[tuple[int, int, int]]:
        """Yield each id with what it is worth: done, and of that good."""
        yield from ((key, 1, 1) for key in self._good)
        yield from ((key, 1, 0) for key in self._bad)
        yield from ((key, done, good) for key, (done, good) in self._other.items())

    def update(self, others: "Ids") -> None:
        """Take in what others say of their ids."""
        for key, done, good in others.items():
            self.settle(key, done, good)

    def forget_all(self, others: "Ids") -> None:
        """Forget the ids that others know."""
        for key, _, _ in others.items() if len(self) else ():
            self.forget(key)

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
