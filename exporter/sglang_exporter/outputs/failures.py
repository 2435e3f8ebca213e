"""Which requests of a record failed, and why."""

from collections import Counter
from collections.abc import Iterable

from msgspec import Struct

from sglang_exporter.outputs.answers import Answers
from sglang_exporter.outputs.conditions import Conditions, holds
from sglang_exporter.outputs.errors import NULL_OUTPUT, OTHER, error_reason
from sglang_exporter.outputs.paths import Path
from sglang_exporter.outputs.values import number


class Failures(Struct, frozen=True, gc=False):
    """Failed requests of a record as (reason, how many); with `whole`, the record is one and holds no completions."""

    errors: tuple[tuple[str, int], ...] = ()
    whole: bool = False


NO_FAILURES = Failures()


def find_failures(record: object, conditions: Conditions, words: Iterable[Path], answers: Answers) -> Failures:
    """Return what the conditions for errors, and null items among the completions, say of a record.

    A hit on one value makes the record an error, a hit through `[]` is one request of many; in a record that sums up
    many requests, a number is how many failed. `words` lead to more of what a record that failed says.
    """
    nulls = answers.present.count(False)
    if not nulls and not (conditions and holds(record, conditions)):
        return NO_FAILURES
    hits = [(condition.path.many, hit) for condition in conditions for hit in condition.hits(record)]
    summed = max((int(number(hit) or 0) for many, hit in hits if not many), default=0) if answers.summary else 0
    whole = [hit for many, hit in hits if not many and not summed]
    if whole:
        return Failures(((error_reason([*whole, *(path.get(record) for path in words)]), 1),), whole=True)
    single = Counter(error_reason([hit]) for many, hit in hits if many)
    single[OTHER] += max(0, summed - single.total())
    single[NULL_OUTPUT] += nulls
    return Failures(tuple((+single).items()))
