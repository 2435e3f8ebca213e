"""Token counts of a record: which are usable, and which of its completions they belong to."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

from sglang_exporter.outputs.answers import Answers
from sglang_exporter.outputs.paths import Path
from sglang_exporter.outputs.texts import any_text
from sglang_exporter.outputs.values import MOST_TOKENS, is_null, number

Counts = float | list[float | None] | None
"""A total, a count (or None) for each item of a list, or nothing."""


class Spent(Struct, frozen=True, gc=False):
    """Output tokens of a record by what they were spent on, see `Record`."""

    output_tokens: float = 0
    lengths: tuple[float, ...] = ()
    uncounted: int = 0
    failed_output_tokens: float = 0


def find_counts(record: object, paths: Iterable[Path], texts: Iterable[Path] = ()) -> Counts:
    """Return the first usable counts of a record; 0 beside a text is how several writers say that they do not know."""
    for path in paths:
        value = path.get(record)
        if type(value) is int and 0 < value <= MOST_TOKENS:
            return value
        if is_null(value):
            continue
        counts = (
            [number(item, MOST_TOKENS) for item in _flat(value)]
            if isinstance(value, list)
            else number(value, MOST_TOKENS)
        )
        known = total(counts)
        if known or (known is not None and not any_text(record, texts)):
            return counts
    return None


def _flat(items: list[object]) -> Iterator[object]:
    """Yield the items of a list, and of lists in it."""
    for item in items:
        if isinstance(item, list):
            yield from item
        else:
            yield item


def total(counts: Counts) -> float | None:
    """Return the sum of counts, None where there are none."""
    if not isinstance(counts, list):
        return counts
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def spend(counts: Counts, answers: Answers) -> Spent:
    """Return what the tokens of a record that did not fail as a whole were spent on."""
    if isinstance(counts, list):
        return _spend_list(counts, answers)
    completions = answers.completions
    if counts is None:
        return Spent(uncounted=0 if answers.summary else completions)
    if completions == 1 and not answers.summary:
        return Spent(counts, (counts,))
    if completions == 0 and answers.present:
        return Spent(failed_output_tokens=counts)
    return Spent(counts, (counts / completions,) * completions if completions and not answers.summary else ())


def _spend_list(counts: list[float | None], answers: Answers) -> Spent:
    present = answers.present if len(counts) == len(answers.present) else (True,) * len(counts)
    both = list(zip(counts, present, strict=True))
    good = tuple(count for count, there in both if there and count is not None)
    lost = sum(count for count, there in both if not there and count is not None)
    return Spent(sum(good), good, max(0, answers.completions - len(good)), lost)
