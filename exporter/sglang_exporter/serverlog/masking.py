"""The shape of a line that was not understood: SGLang's own words and the punctuation stay, all else is masked."""

import re

from sglang_exporter.serverlog.grammar import DECODE_FIELDS, PREFILL_FIELDS, SHAPES

_WORD = re.compile(r"[^\W\d_]+")
_DIGITS = re.compile(r"\d+")
_LONGEST = 400
_MOST_SHAPES = 50

_VOCABULARY = frozenset(
    word
    for text in (*DECODE_FIELDS, *PREFILL_FIELDS, *(shape.opener.decode() for shape in SHAPES))
    for word in _WORD.findall(text)
) | {"TP", "DP", "PP", "EP", "ATTN", "CP", "MOE", "True", "False", "T"}


def note_shape(shapes: dict[str, int], message: bytes) -> None:
    """Count the shape of a message; of the many that there may be, the first 50 are kept."""
    shape = masked(message)
    if shape in shapes or len(shapes) < _MOST_SHAPES:
        shapes[shape] = shapes.get(shape, 0) + 1


def masked(message: bytes) -> str:
    """Return `Verify batch, #running-req: 163` as `xxx batch, #running-req: 9`."""
    text = _DIGITS.sub("9", message[:_LONGEST].decode(errors="replace"))
    return _WORD.sub(lambda word: word[0] if word[0] in _VOCABULARY else "xxx", text)
