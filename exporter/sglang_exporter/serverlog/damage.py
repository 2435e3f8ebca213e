"""Whether a line is whole: columns may have been cut out of its middle, or two lines run into one another."""

import re
from functools import lru_cache

from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.grammar import CAPACITY_FIELDS, DECODE_FIELDS, PREFILL_FIELDS, RETRACTION_FIELDS
from sglang_exporter.serverlog.values import DamagedError
from sglang_exporter.serverlog.vocabulary import Vocabulary
from sglang_exporter.serverlog.whole import COMPANIONS, HEADS, ONLY, ORDER, REQUIRED

_FIELDS = {
    "decode": DECODE_FIELDS,
    "prefill": PREFILL_FIELDS,
    "retract": RETRACTION_FIELDS,
    "capacity": CAPACITY_FIELDS,
}
_LABELS = DECODE_FIELDS.keys() | PREFILL_FIELDS.keys() | RETRACTION_FIELDS.keys()
_VOCABULARIES = {kind: Vocabulary(fields if kind == "capacity" else _LABELS) for kind, fields in _FIELDS.items()}
_PLACES = {kind: {label: place for place, label in enumerate(labels)} for kind, labels in ORDER.items()}
_NO_LABEL = re.compile(r"^ |:|.#|[ _-]{2}|\)\w|[\[\]=,]")


class OddError(DamagedError):
    """A line whose labels no known release prints together: damage, unless the log goes on like that."""

    def __init__(self, fields: dict[str, Value]) -> None:
        super().__init__("labels that no known release prints together")
        self.fields = fields


def require_whole(layout: str, labels: frozenset[str]) -> None:
    """Raise DamagedError unless these are labels that a line of the layout, a key of `whole.REQUIRED`, can have."""
    if any(alternatives.isdisjoint(labels) for alternatives in REQUIRED.get(layout, ())):
        raise DamagedError("a field that every release prints is missing")
    if layout in ONLY and not labels <= ONLY[layout]:
        raise DamagedError("a field that came later")


@lru_cache(maxsize=1024)
def is_odd(kind: str, labels: tuple[str, ...]) -> bool:
    """Tell whether no known release prints these labels together; raises DamagedError where none ever will."""
    told = frozenset(labels)
    require_whole(kind, told)
    return (
        any(label in _LABELS or _is_broken(kind, label) for label in told - _FIELDS[kind].keys() - HEADS)
        or any(rule.broken_by(told) for rule in COMPANIONS.get(kind, ()))
        or _has_a_metric_twice(kind, told)
        or not _is_in_order(kind, labels)
    )


def _has_a_metric_twice(kind: str, labels: frozenset[str]) -> bool:
    known = [_FIELDS[kind][label] for label in labels if label in _FIELDS[kind]]
    exported = [(field.to, field.pool) for field in known if field.to]
    return len(exported) > len(set(exported))


def _is_in_order(kind: str, labels: tuple[str, ...]) -> bool:
    places = [_PLACES[kind][label] for label in labels if label in _PLACES.get(kind, ())]
    return places == sorted(places)


def _is_broken(kind: str, label: str) -> bool:
    return bool(_NO_LABEL.search(label)) or _VOCABULARIES[kind].is_broken(label)
