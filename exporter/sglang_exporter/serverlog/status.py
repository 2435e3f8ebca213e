"""The lines whose numbers are exported: Decode and Prefill, capacity, retraction.

Each reader takes what stands behind the opener of a shape, and returns the kind of line and its fields. It raises
DamagedError where a part of the line is lost, OddError where it only seems so.
"""

import re
from collections.abc import Callable

from sglang_exporter.serverlog.damage import OddError, is_odd, require_whole
from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.grammar import CAPACITY_FIELDS, DECODE_FIELDS, PREFILL_FIELDS, RETRACTION_FIELDS, Shape
from sglang_exporter.serverlog.pairs import forms, pairs
from sglang_exporter.serverlog.values import DamagedError, number_or_text
from sglang_exporter.serverlog.whole import BATCH_COMMA, BATCH_STOP, FULL, TESTING

Fields = dict[str, Value]
Reader = Callable[[Shape, str], tuple[str, Fields]]

_LONGEST = 4096
_FORMS = {"decode": forms(DECODE_FIELDS), "prefill": forms(PREFILL_FIELDS)}
_CAPACITY, _RETRACTION = forms(CAPACITY_FIELDS), forms(RETRACTION_FIELDS)
_BATCH_HEAD = re.compile(r"(?: \[[0-9]+\])?(?:\((mixed #running-req: [0-9]+)\))?([.,]) ")
_END_OF_SENTENCE = re.compile(r"[.,]? (?=#)")


def _batch(shape: Shape, text: str) -> tuple[str, Fields]:
    """Read `[ [n]]?[(mixed ..)]?[.,] label: number, ...`; the separator changed with 0.5.4."""
    head = _BATCH_HEAD.match(text)
    if not head:
        raise DamagedError(text[:1])
    known = _FORMS[shape.kind]
    fields = {**(pairs(head[1], known) if head[1] else {}), **pairs(text[head.end() :], known)}
    if is_odd(shape.kind, (BATCH_COMMA if head[2] == "," else BATCH_STOP, *fields)):
        raise OddError(fields)
    return shape.kind, fields


def _first_batch(shape: Shape, text: str) -> tuple[str, Fields]:
    kind, fields = _batch(shape, text)
    require_whole("first prefill", frozenset(fields))
    return kind, fields


def _old_decode(shape: Shape, text: str) -> tuple[str, Fields]:
    fields = pairs(shape.opener.decode() + text, _FORMS[shape.kind])
    require_whole(f"old {shape.kind}", frozenset(fields))
    return shape.kind, fields


def _old_prefill(shape: Shape, text: str) -> tuple[str, Fields]:
    fields = pairs(text, _FORMS[shape.kind], ". ")
    require_whole(f"old {shape.kind}", frozenset(fields))
    return shape.kind, fields


def _retraction(shape: Shape, text: str) -> tuple[str, Fields]:
    end = _END_OF_SENTENCE.match(text)
    if not end:
        raise DamagedError(text[:1])
    fields = pairs(text[end.end() :], _RETRACTION)
    if is_odd(shape.kind, (TESTING if shape.opener.startswith(b"Testing") else FULL, *fields)):
        raise OddError(fields)
    return shape.kind, fields


def _capacity(shape: Shape, text: str) -> tuple[str, Fields]:
    """Read `max_total_num_tokens=860527, max_running_requests=2392, ...`; up to 0.1.15 a list of modes may follow."""
    numbers = (shape.opener.decode() + text).partition(", model_mode=")[0].rstrip(" ,")
    split = [part.partition("=") for part in numbers.split(", ")]
    fields = {name: _CAPACITY.get(name, number_or_text)(value) for name, _, value in split}
    if len(fields) < len(split) or not all(equals for _, equals, _ in split):
        raise DamagedError("a name twice, or none")
    if is_odd(shape.kind, tuple(fields)):
        raise OddError(fields)
    return shape.kind, fields


def _of_bounded_length(read: Reader) -> Reader:
    """Return a reader that refuses a line longer than any release prints."""

    def bounded(shape: Shape, text: str) -> tuple[str, Fields]:
        if len(text) > _LONGEST:
            raise DamagedError("no line is as long")
        return read(shape, text)

    return bounded


READERS: dict[str, Reader] = {
    "batch": _of_bounded_length(_batch),
    "first_batch": _of_bounded_length(_first_batch),
    "old_decode": _of_bounded_length(_old_decode),
    "old_prefill": _of_bounded_length(_old_prefill),
    "retraction": _of_bounded_length(_retraction),
    "capacity": _of_bounded_length(_capacity),
}
