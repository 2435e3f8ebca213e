"""Words that SGLang prints, and what damage makes of them."""

import re
from collections.abc import Collection

_COUNT = re.compile(r"#(?!req|seq|token)([a-z]+)[-_](?:req|seq|token)")
_WORD = re.compile(r"[A-Za-z]+")


class Vocabulary:
    """The labels of one kind of line; a blank may stand before each."""

    def __init__(self, labels: Collection[str]) -> None:
        self._labels = [f" {label}" for label in labels]
        self._beginnings = frozenset(label[:end] for label in labels for end in range(len(label) + 1))
        self._endings = frozenset(label[start:] for label in self._labels for start in range(len(label) + 1))
        self._words = frozenset(word for label in labels for word in _WORD.findall(label))

    def is_broken(self, label: str) -> bool:
        """Tell whether damage made a label of one or two of these: `token usaccept rate`, `#queeu-req`."""
        return any(_is_spoilt(f" {label}", known) for known in self._labels) or self._is_made_of_two(label)

    def _is_made_of_two(self, label: str) -> bool:
        """Tell whether a label is one's beginning and another's end; of whole words it may be new, as `#cached-req`."""
        if (counted := _COUNT.fullmatch(label)) and counted[1] in self._words:
            return False
        return any(label[:at] in self._beginnings and label[at:] in self._endings for at in range(len(label) + 1))


def _is_spoilt(text: str, known: str) -> bool:
    longer = len(text) - len(known)
    begin, end = _alike(text, known), _alike(text[::-1], known[::-1])
    if longer < 0:
        return begin + end >= len(text)
    if longer > 0:
        return begin + end >= len(known) and text[max(begin - longer, 0) : begin] == text[begin : begin + longer]
    return begin + end == len(text) - 2 and text[begin : begin + 2] == known[begin : begin + 2][::-1]


def _alike(one: str, other: str) -> int:
    """Return how many letters two texts have in common at their beginnings."""
    unlike = (at for at, letters in enumerate(zip(one, other, strict=False)) if letters[0] != letters[1])
    return next(unlike, min(len(one), len(other)))
