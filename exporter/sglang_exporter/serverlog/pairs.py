"""`label: number` pairs of a status line, by label and never by position."""

from collections.abc import Iterator

from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.values import number

_POOLS = ("full=", "swa=")


def pairs(text: str, separator: str = ", ") -> dict[str, Value]:
    """Return the pairs of `text`; raises `values.DamagedError` when a value is none that SGLang prints."""
    fields: dict[str, Value] = {}
    for label, printed in _split(text, separator):
        fields[label] = by_pool(printed) if printed.startswith(_POOLS) else number(printed)
    return fields


def by_pool(printed: str) -> dict[str, float]:
    """Return the numbers of `full=1, swa=2` (SGLang 0.4.9 to 0.4.9.post2)."""
    parts = (part.partition("=") for part in printed.split(", "))
    return {pool: float(value) for pool, _, value in parts}


def _split(text: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield label and printed value; a piece without a label belongs to the value before it, as in `2.5 [2.1, 2.9]`."""
    label, printed = "", ""
    for piece in text.split(separator):
        name, colon, value = piece.rpartition(": ")
        if colon:
            if label:
                yield label, printed
            label, printed = name, value.strip(" ,.")
        elif label and piece.strip(" ,."):
            printed += separator + piece.strip(" ,.")
    if label:
        yield label, printed
