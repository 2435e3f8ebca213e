"""Lines of every layout of every release, at random: what the decoder makes of them, and what is exported."""

import math
from random import Random

import pytest
from hypothesis import given, settings
from msgspec.structs import replace
from packaging.version import Version

from sglang_exporter.serverlog.decoder import LogDecoder
from sglang_exporter.serverlog.events import Event, Value
from sglang_exporter.serverlog.forms import readings
from sglang_exporter.serverlog.grammar import DECODE_FIELDS, PREFILL_FIELDS, STATUS_FIELDS
from support.layout import Layout, printed_by
from support.layouts_decode import DECODE
from support.layouts_prefill import PREFILL
from support.printing import LAYOUTS, RELEASES, Printed, labels_of, printed, printed_lines
from support.whole import whole

DRAWS = 150
BY_NAME = {layout.name: layout for layout in LAYOUTS}
each_layout = pytest.mark.parametrize("layout", LAYOUTS, ids=BY_NAME)


def assert_decoded(line: Printed) -> None:
    unrecognised: dict[str, int] = {}
    (event,) = LogDecoder({}, unrecognised).decode(line.line.encode())
    assert comparable(event) == comparable(line.event), line
    assert not unrecognised, line


def comparable(event: Event) -> Event:
    """Return the event with a word in the place of what is not equal to itself."""
    fields: dict[str, Value] = {
        label: "nan" if isinstance(value, float) and math.isnan(value) else value
        for label, value in event.fields.items()
    }
    return replace(event, fields=fields)


def numbers(value: Value, pool: str) -> dict[str, float]:
    """Return the numbers by pool that a printed value stands for; a flag is 0 or 1, nan is none."""
    if isinstance(value, dict):
        return {pool: value["mid"]} if "mid" in value else value
    return {pool: value} if isinstance(value, int | float) and not math.isnan(value) else {}


@each_layout
def test_fields_ranks_and_time_are_those_printed(layout: Layout) -> None:
    random = Random(layout.name)
    for _ in range(DRAWS):
        assert_decoded(printed(random, layout))


@each_layout
def test_the_tables_alone_take_each_line_for_whole(layout: Layout) -> None:
    random = Random(layout.name)
    for _ in range(DRAWS):
        line = printed(random, layout)
        again = whole(line.line)
        assert again
        assert comparable(again) == comparable(line.event)


@settings(deadline=None)
@given(printed_lines())
def test_any_line_is_the_event_that_it_stands_for(line: Printed) -> None:
    assert_decoded(line)


@pytest.mark.parametrize("layout", [*DECODE, *PREFILL], ids=lambda layout: layout.name)
def test_every_number_is_exported_in_its_unit(layout: Layout) -> None:
    random = Random(layout.name)
    for _ in range(DRAWS):
        event = printed(random, layout).event
        found = readings(event)
        told = found.gauges | {(metric, ""): amount for metric, amount in found.amounts.items()}
        for label, value in event.fields.items():
            field = STATUS_FIELDS[event.kind][label]
            for pool, number in numbers(value, field.pool).items() if field.to else ():
                assert told.pop((field.to, pool)) == number * field.scale, label
        assert {pool for _, pool in told} <= {"kv"}, "more than what was printed, and the fullest pool"


@pytest.mark.parametrize("release", RELEASES, ids=str)
def test_a_log_of_one_release_is_understood_to_its_last_line(release: Version) -> None:
    random = Random(str(release))
    unrecognised: dict[str, int] = {}
    decoder = LogDecoder({}, unrecognised)
    told = []
    for layout in LAYOUTS:
        if printed_by(layout.releases, release):
            line = printed(random, layout, release)
            assert [comparable(event) for event in decoder.decode(line.line.encode())] == [comparable(line.event)]
            told.append(layout.kind)
    assert {"decode", "prefill"} <= set(told)
    assert not unrecognised


def test_layouts_and_grammar_have_the_same_fields() -> None:
    in_decode = set[str]().union(*map(labels_of, DECODE))
    in_prefill = set[str]().union(*map(labels_of, PREFILL))
    assert in_decode <= DECODE_FIELDS.keys()
    assert in_prefill <= PREFILL_FIELDS.keys()
    assert in_decode | in_prefill == DECODE_FIELDS.keys() | PREFILL_FIELDS.keys()
