"""The form of a line that was understood: what is left of it when its digits may be others."""

import re

from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.forms import Form
from sglang_exporter.serverlog.readings import Plan

_PREFIX = re.compile(rb"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{3})?)((?: [A-Z_]+\d+)*)\] ")
_VALUE = re.compile(rb"(?<=: )(\d+(\.\d\d)?)(?=[,)%]|\.?\s*\Z)")
_ADDRESS = re.compile(rb"INFO:     \S+ - ")
_RUN = re.compile(rb"\d+")
_STEP = re.compile(rb"(?<=batch )\\\[\d+\\\]")
# As `values.count` and `values.decimal` want a number that is not negative, and `ranks.read_ranks` a rank.
_COUNT, _DECIMAL, _RANK = rb"(0|[1-9][0-9]{0,17})", rb"((?:0|[1-9][0-9]{0,17})\.[0-9]{2})", rb"(?:0|[1-9][0-9]{0,5})"


def form_of(line: bytes, event: Event) -> Form | None:
    """Return the form of a line that said `event`; None where it has more in it than is known to vary."""
    prefix = _PREFIX.match(line)
    if event.kind == "access":
        return _access_form(line, prefix, event)
    return _status_form(line, prefix, event) if prefix else None


def _access_form(line: bytes, prefix: re.Match[bytes] | None, event: Event) -> Form | None:
    address = _ADDRESS.match(line, prefix.end() if prefix else 0)
    if not address:
        return None
    head = _prefix_pattern(prefix) if prefix else b"()()"
    client = _RUN.sub(lambda _: rb"\d+", re.escape(address[0]))
    pattern = re.compile(head + client + re.escape(line[address.end() :]))
    return Form(pattern.fullmatch, event.kind, dict(event.fields))


def _status_form(line: bytes, prefix: re.Match[bytes], event: Event) -> Form | None:
    message = line[prefix.end() :]
    values = list(_VALUE.finditer(message))
    numbers = tuple(float if value[2] else int for value in values)
    labels = tuple(label for label, value in event.fields.items() if type(value) in {int, float})
    if [number(value[1]) for number, value in zip(numbers, values, strict=True)] != [event.fields[at] for at in labels]:
        return None
    pattern = re.compile(_prefix_pattern(prefix) + _status_pattern(message, values))
    plan = Plan(event.kind, event.fields, labels)
    return Form(pattern.fullmatch, event.kind, dict(event.fields), labels, numbers, plan)


def _prefix_pattern(prefix: re.Match[bytes]) -> bytes:
    stamp = _RUN.sub(lambda digits: rb"\d" * len(digits[0]), re.escape(prefix[1]))
    return rb"\[(" + stamp + rb")(" + _RUN.sub(lambda _: _RANK, re.escape(prefix[2])) + rb")\] "


def _status_pattern(message: bytes, values: list[re.Match[bytes]]) -> bytes:
    """Return what stands between the values as it is, and how each is printed."""
    pattern, end = b"", 0
    for value in values:
        pattern += re.escape(message[end : value.start()]) + (_DECIMAL if value[2] else _COUNT)
        end = value.end()
    return _STEP.sub(lambda _: rb"\[[0-9]+\]", pattern) + re.escape(message[end:])
