"""Every labelled number that the notes on SGLang's log list is in the grammar, and exported or said why not."""

from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.version import Version

from sglang_exporter.metrics.catalogue import BY_NAME
from sglang_exporter.serverlog.grammar import STATUS_FIELDS
from support.layout import first_and_last
from support.layouts_decode import DECODE
from support.layouts_prefill import PREFILL
from support.printing import labels_of


class Listed(NamedTuple):
    """A label of one kind of line, with the first and the last release that print it."""

    kind: str
    first: Version
    last: Version
    label: str


def listed(row: str) -> Listed:
    kind, first, last, label = row.split(maxsplit=3)
    return Listed(kind, Version(first), Version(last), label)


WITH_TODAYS_LABELS = Version("0.4")
FIXTURE = Path(__file__).parent / "fields-of-the-spec.txt"
FIELDS = [listed(row) for row in FIXTURE.read_text().splitlines() if row and not row.startswith("#")]
each_field = pytest.mark.parametrize("field", FIELDS, ids=lambda field: f"{field.kind} {field.label}")


@each_field
def test_it_is_exported_or_said_why_not(field: Listed) -> None:
    known = STATUS_FIELDS[field.kind][field.label]
    if known.to:
        row = BY_NAME[f"sglang_server_{known.to}"]
        assert (row.type == "counter") == known.to.endswith("_total")
        assert field.label in row.source or field.last < WITH_TODAYS_LABELS
    else:
        assert known.why


@each_field
def test_the_generator_prints_it_in_these_releases(field: Listed) -> None:
    spans = [
        first_and_last(layout.releases)
        for layout in (*DECODE, *PREFILL)
        if layout.kind == field.kind and field.label in labels_of(layout)
    ]
    assert (min(first for first, _ in spans), max(last for _, last in spans)) == (field.first, field.last)


def test_nothing_is_listed_twice() -> None:
    assert len({(field.kind, field.label) for field in FIELDS}) == len(FIELDS)


@pytest.mark.parametrize("kind", STATUS_FIELDS)
def test_nothing_is_exported_that_is_not_listed(kind: str) -> None:
    everywhere = {field.label for field in FIELDS}
    assert STATUS_FIELDS[kind].keys() <= everywhere
    assert {field.label for field in FIELDS if field.kind == kind} <= STATUS_FIELDS[kind].keys()
