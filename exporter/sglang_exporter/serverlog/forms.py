"""The fields of a line whose form is known: its numbers as they are printed, until somebody asks."""

import re
from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import NamedTuple

from sglang_exporter.serverlog.events import Event, Value
from sglang_exporter.serverlog.readings import Plan, Readings, read


class Form(NamedTuple):
    """What status lines have in common that differ in digits alone.

    `match` looks at a line from the end of its prefix on; its groups are the values of `labels`, which `numbers` read.
    `fields` are those of the line that it was learnt from, in order. `plan` makes readings of the numbers.
    """

    match: Callable[[bytes, int], re.Match[bytes] | None]
    kind: str
    fields: dict[str, Value]
    labels: tuple[str, ...]
    numbers: tuple[Callable[[bytes], float], ...]
    plan: Plan


class LazyFields(Mapping[str, Value]):
    """The fields of a line of a known form, read when they are asked for: of most ranks' lines nobody does."""

    __slots__ = ("form", "found")

    def __init__(self, form: Form, found: re.Match[bytes]) -> None:
        self.form = form
        self.found = found

    def __getitem__(self, label: str) -> Value:
        """Return the value of a label."""
        return self._read()[label]

    def __iter__(self) -> Iterator[str]:
        """Yield the labels as they stand in the line."""
        return iter(self.form.fields)

    def __len__(self) -> int:
        """Return how many labels there are."""
        return len(self.form.fields)

    def items(self) -> ItemsView[str, Value]:
        """Return labels with their values, all read at once."""
        return self._read().items()

    def _read(self) -> dict[str, Value]:
        form = self.form
        values = [number(text) for number, text in zip(form.numbers, self.found.groups(), strict=True)]
        return {**form.fields, **dict(zip(form.labels, values, strict=True))}


def readings(event: Event) -> Readings:
    """Return what metrics are made of a Decode or Prefill line."""
    fields = event.fields
    if isinstance(fields, LazyFields):
        return fields.form.plan.readings(fields.found.groups())
    return read(event.kind, fields)
