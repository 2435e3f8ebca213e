"""Conditions on a record, compiled once to closures.

`a` is there and not empty, `!a` is absent or null, `has(a)` is there, `null(a)` is there and null, `a = x|y`,
`a != x|y`, `a >= 400` (spaces around the operator). `|` between conditions is "or".
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence

from msgspec import UNSET, Struct

from sglang_exporter.outputs.paths import Path, compile_path
from sglang_exporter.outputs.steps import SchemeError
from sglang_exporter.outputs.values import is_null, number

Test = Callable[[object], bool]

_BAR = re.compile(r"\|(?![^\[]*\])")
_COMPARISON = re.compile(r"(?P<path>.+?) (?P<operator>=|!=|>=) (?P<value>.+)")
_CALL = re.compile(r"(?P<name>has|null)\((?P<path>.+)\)|(?P<not>!)(?P<absent>.+)")
_TESTS: dict[str, Test] = {
    "has": lambda value: value is not UNSET,
    "null": lambda v: v is not UNSET and is_null(v),
    "!": is_null,
}


class Condition(Struct, frozen=True):
    """A condition on one path.

    `hits` returns the values that meet it: of one path at most one, of `a[].b` as many as there are. `presence` tells
    that it looks only at whether a value is there or null.
    """

    path: Path
    test: Test
    hits: Callable[[object], Sequence[object]]
    presence: bool

    def applies(self, keys: Collection[str]) -> bool:
        """Tell whether a record with these keys can meet the condition."""
        return self.path.applies(keys) or self.test(UNSET)


Conditions = tuple[Condition, ...]


def compile_condition(text: str) -> list[Condition]:
    """Return the conditions of which one must hold; SchemeError when the text is none."""
    conditions: list[Condition] = []
    pieces = _BAR.split(text)
    while pieces:
        piece = pieces.pop(0)
        if comparison := _COMPARISON.fullmatch(piece):
            values = [comparison["value"]]
            while pieces and not (_COMPARISON.fullmatch(pieces[0]) or _CALL.fullmatch(pieces[0])):
                values.append(pieces.pop(0))
            test = _comparison(comparison["operator"], values, text)
            conditions.append(_condition(comparison["path"].strip(), test, presence=False))
        else:
            conditions.append(_simple(piece.strip()))
    return conditions


def holds(record: object, conditions: Iterable[Condition]) -> bool:
    """Tell whether one of the conditions holds."""
    for condition in conditions:  # noqa: SIM110 - asked of every record, and a generator costs as much as the answer
        if condition.hits(record):
            return True
    return False


def _simple(piece: str) -> Condition:
    if call := _CALL.fullmatch(piece):
        test = _TESTS[call["name"] or call["not"]]
        return _condition(call["path"] or call["absent"], test, presence=True)
    return _condition(piece, bool, presence=False)


def _condition(text: str, test: Test, *, presence: bool) -> Condition:
    path = compile_path(text)
    get = path.get

    def hits(record: object) -> Sequence[object]:
        value = get(record)
        return (value,) if test(value) else ()

    def hits_among(record: object) -> Sequence[object]:
        values = get(record)
        return [value for value in values if test(value)] if isinstance(values, list) else ()

    return Condition(path, test, hits_among if path.many else hits, presence)


def _comparison(operator: str, values: list[str], text: str) -> Test:
    wanted = frozenset(value.strip() for value in values)
    if operator == "=":
        return lambda value: _text(value) in wanted
    if operator == "!=":
        return lambda value: _text(value) not in wanted
    limit = number(values[0].strip()) if len(values) == 1 else None
    if limit is None:
        raise SchemeError(f"not a condition: {text!r}: >= needs a number")
    least = limit
    return lambda value: (n := number(value)) is not None and n >= least


def _text(value: object) -> str | None:
    """Return a value as it is written in a condition."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, (str, int, float)) else None
