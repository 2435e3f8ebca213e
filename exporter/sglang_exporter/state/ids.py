"""Which ids of a job are done. They are kept as hashes, are rebuilt from the files and never stored."""

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

_MOST = 2048
"""Ids in a piece: one more is inserted in about a microsecond."""
_BITS = 2
_CODE = (1 << _BITS) - 1
_BAD, _GOOD, _OTHER = range(3)
_WORTH = {_BAD: (1, 0), _GOOD: (1, 1)}
_CODES = {worth: code for code, worth in _WORTH.items()}


class Ids:
    """Ids with what the last record of each said: how much is done by it (`done`), and how much of that well (`good`).

    They are in pieces of sorted 64-bit numbers, an id of 60 bits and a code in each, which takes about 10 MB a million.
    Nearly all are worth one, good or bad; of the others, the worth is in a dictionary.
    """

    def __init__(self) -> None:
        self.done = 0
        self.good = 0
        self._pieces = [array("Q")]
        self._firsts = [0]
        self._number = 0
        self._other: dict[int, tuple[int, int]] = {}

    def __len__(self) -> int:
        return self._number

    def __contains__(self, key: int) -> bool:
        piece, index = self._find(key)
        return index < len(piece) and piece[index] >> _BITS == key

    def items(self) -> Iterator[tuple[int, int, int]]:
        """Yield each id with what it is worth: done, and of that good."""
        for piece in self._pieces:
            for entry in piece:
                yield (entry >> _BITS, *self._worth(entry))

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
        code = _GOOD if done == good == 1 else _CODES.get((done, good), _OTHER)
        entry = key << _BITS
        piece = self._pieces[bisect_right(self._firsts, key) - 1]
        index = bisect_left(piece, entry)
        known = index < len(piece) and piece[index] >> _BITS == key
        if known:
            self._withdraw(piece[index])
            piece[index] = entry | code
        else:
            piece.insert(index, entry | code)
            self._number += 1
            if len(piece) > _MOST:
                self._split(piece)
        self.done += done
        self.good += good
        if code == _OTHER:
            self._other[key] = (done, good)
        return known

    def forget(self, key: int) -> bool:
        """Forget an id; tell whether it was there."""
        piece, index = self._find(key)
        if index == len(piece) or piece[index] >> _BITS != key:
            return False
        self._withdraw(piece.pop(index))
        self._number -= 1
        return True

    def _find(self, key: int) -> tuple["array[int]", int]:
        """Return the piece that an id belongs to, and its index there."""
        piece = self._pieces[bisect_right(self._firsts, key) - 1]
        return piece, bisect_left(piece, key << _BITS)

    def _split(self, piece: "array[int]") -> None:
        number = bisect_right(self._firsts, piece[0] >> _BITS) - 1
        half = len(piece) // 2
        self._pieces[number : number + 1] = [piece[:half], piece[half:]]
        self._firsts.insert(number + 1, piece[half] >> _BITS)

    def _worth(self, entry: int) -> tuple[int, int]:
        return _WORTH.get(entry & _CODE) or self._other[entry >> _BITS]

    def _withdraw(self, entry: int) -> None:
        done, good = self._worth(entry)
        self.done -= done
        self.good -= good
        self._other.pop(entry >> _BITS, None)
