"""The completions of a record, why each ended, and how long they took."""

from collections.abc import Iterable
from math import inf

from msgspec import Struct

from sglang_exporter.outputs.paths import Path
from sglang_exporter.outputs.reasons import finish_reason
from sglang_exporter.outputs.record import UNKNOWN
from sglang_exporter.outputs.values import MOST_TOKENS, is_null, number


class Answers(Struct, frozen=True, gc=False):
    """The completions of a record."""

    completions: int = 1
    present: tuple[bool, ...] = ()
    """For each item of a list, whether it is there; empty where there is no list."""
    summary: bool = False
    """The record sums up many requests, says only how many, and nothing further of each."""


_ONE_OF_ONE = Answers(1, (True,))
_UNTOLD = (UNKNOWN,)


def find_answers(record: object, paths: Iterable[Path], default: Answers) -> Answers:
    """Return the completions of a record, the default where no path leads to anything."""
    for path in paths:
        value = path.get(record)
        if is_null(value):
            continue
        if isinstance(value, list):
            if len(value) == 1 and not is_null(value[0]):
                return _ONE_OF_ONE
            present = tuple([not is_null(item) for item in value])
            return Answers(sum(present), present)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return Answers(int(number(value, MOST_TOKENS) or 0), summary=True)
        return Answers()
    return default


def find_finish_reasons(record: object, paths: Iterable[Path], answers: Answers) -> tuple[str, ...]:
    """Return one reason for each completion, `unknown` where the record does not say it."""
    if answers.summary or not answers.completions:
        return ()
    said = _said(record, paths)
    if answers.completions == 1 and len(said) <= 1:
        return (finish_reason(said[0]),) if said else _UNTOLD
    if len(said) == len(answers.present):
        said = [value for value, there in zip(said, answers.present, strict=True) if there]
    elif len(said) > answers.completions:  # of all turns, say, of which not all are answers
        said = [value for value in said if not is_null(value)]
    said = said[: answers.completions]
    return (*map(finish_reason, said), *(UNKNOWN,) * (answers.completions - len(said)))


def find_latencies(record: object, paths: Iterable[Path], answers: Answers) -> tuple[float, ...]:
    """Return the seconds that the requests of a record took."""
    if answers.summary or not answers.completions:
        return ()
    for path in paths:
        value = path.get(record)
        if type(value) is float and 0 <= value < inf:
            return (value * path.scale,)
        values = value if isinstance(value, list) else (value,)
        if times := [seconds * path.scale for value in values if (seconds := number(value)) is not None]:
            return tuple(times)
    return ()


def _said(record: object, paths: Iterable[Path]) -> list[object]:
    """Return the first that a path leads to and is not null, as a list."""
    for path in paths:
        value = path.get(record)
        if type(value) is str:
            return [value]
        if isinstance(value, list):
            if not all(map(is_null, value)):
                return value
        elif not is_null(value):
            return [value]
    return []
