"""`label: number` pairs of a status line, by label and never by position."""

from collections.abc import Iterator, Mapping

from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.grammar import Field
from sglang_exporter.serverlog.values import FORMS, DamagedError, Form, number

_BY_POOL = frozenset(("#token", "token usage"))


def forms(fields: Mapping[str, Field]) -> dict[str, Form]:
    """Return how the value of each label is read."""
    return {label: FORMS[field.form] for label, field in fields.items()}


def pairs(text: str, known: Mapping[str, Form], separator: str = ", ") -> dict[str, Value]:
    """Return the pairs of `text`; raises `values.DamagedError` on a value that SGLang does not print for its label."""
    fields: dict[str, Value] = {}
    for label, printed in _split(text.rstrip(" ,."), separator):
        if label in fields:
            raise DamagedError("a label twice")
        form = known.get(label, number)
        fields[label] = _by_pool(printed, form) if label in _BY_POOL and "=" in printed else form(printed)
    if len({isinstance(fields.get(label), dict) for label in _BY_POOL}) > 1:
        raise DamagedError("pools of tokens and none of their usage")
    return fields


def _by_pool(printed: str, form: Form) -> dict[str, float]:
    """Return the numbers of `full=1, swa=2` (SGLang 0.4.9 to 0.4.9.post2)."""
    parts = [part.partition("=") for part in printed.split(", ")]
    if [pool for pool, _, _ in parts] != ["full", "swa"]:
        raise DamagedError(printed)
    return {pool: _amount(value, form) for pool, _, value in parts}


def _amount(printed: str, form: Form) -> float:
    value = form(printed)
    if not isinstance(value, int | float):
        raise DamagedError(printed)
    return float(value)


def _split(text: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield label and printed value; a piece without a label belongs to the value before it, as in `2.5 [2.1, 2.9]`."""
    label, printed = "", ""
    for piece in text.split(separator):
        name, colon, value = piece.rpartition(": ")
        if colon and label:
            yield label, printed
        if colon:
            label, printed = name, value
        elif label:
            printed += separator + piece
        if not label:
            raise DamagedError(piece)
    yield label, printed
