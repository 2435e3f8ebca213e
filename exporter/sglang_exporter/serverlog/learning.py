"""The form of a line that was understood: what is left of it when its digits may be others."""

import re

from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.forms import Form
from sglang_exporter.serverlog.readings import Plan

_VALUE = re.compile(rb"(?<=: )(\d+(\.\d\d)?)(?=[,)%]|\.?\s*\Z)")
_STEP = re.compile(rb"(?<=batch )\\\[\d+\\\]")
# As `values.count` and `values.decimal` want a number that is not negative.
_COUNT, _DECIMAL = rb"(0|[1-9][0-9]{0,17}+)", rb"((?:0|[1-9][0-9]{0,17}+)\.[0-9][0-9])"


def form_of(message: bytes, event: Event) -> Form | None:
    """Return the form of a status line's message that said `event`; None where more varies in it than is known to."""
    values = list(_VALUE.finditer(message))
    numbers = tuple(float if value[2] else int for value in values)
    labels = tuple(label for label, value in event.fields.items() if type(value) in {int, float})
    if [number(value[1]) for number, value in zip(numbers, values, strict=True)] != [event.fields[at] for at in labels]:
        return None
    pattern = re.compile(_status_pattern(message, values))
    plan = Plan(event.kind, event.fields, labels)
    return Form(pattern.fullmatch, event.kind, dict(event.fields), labels, numbers, plan)


def _status_pattern(message: bytes, values: list[re.Match[bytes]]) -> bytes:
    """Return what stands between the values as it is, and how each is printed."""
    pattern, end = b"", 0
    for value in values:
        pattern += re.escape(message[end : value.start()]) + (_DECIMAL if value[2] else _COUNT)
        end = value.end()
    return _STEP.sub(lambda _: rb"\[[0-9]+\]", pattern) + re.escape(message[end:])
