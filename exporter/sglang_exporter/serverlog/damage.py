"""Whether a status line is whole: columns may have been cut out of its middle, or two lines run into one another."""

import re
from collections.abc import Collection

from sglang_exporter.serverlog.grammar import DECODE_FIELDS, PREFILL_FIELDS, REQUIRED
from sglang_exporter.serverlog.values import DamagedError

_LABELS = DECODE_FIELDS.keys() | PREFILL_FIELDS.keys()
_WORD = re.compile(r"[A-Za-z]+")
_WORDS = frozenset(word for label in _LABELS for word in _WORD.findall(label))
_SHORTEST = 2


def require_whole(kind: str, labels: Collection[str]) -> None:
    """Raise DamagedError unless the labels are ones that a line of this kind may have, and those it always has."""
    if any(alternatives.isdisjoint(labels) for alternatives in REQUIRED[kind]):
        raise DamagedError("a field that every release prints is missing")
    if any(label not in _LABELS and _is_run_together(label) for label in labels):
        raise DamagedError("a label made of two")


def _is_run_together(label: str) -> bool:
    """Tell whether a label was made by a cut within words, as `token usaccept rate`: `usage` and `accept`."""
    return ": " in label or any(_is_two_halves(word) for word in _WORD.findall(label) if word not in _WORDS)


def _is_two_halves(word: str) -> bool:
    """Tell whether a word is the beginning of one of SGLang's and the end of another."""
    return any(
        any(known.startswith(word[:at]) for known in _WORDS) and any(known.endswith(word[at:]) for known in _WORDS)
        for at in range(_SHORTEST, len(word) - _SHORTEST + 1)
    )
