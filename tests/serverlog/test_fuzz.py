"""Damaged lines: nothing raises, and nothing is exported that no undamaged line said.

A value may also come from a line that is whole again (`support/whole.py`): a digit lost or doubled makes another line
that some release could have printed, and nobody can tell it from a true one.

`FUZZ_PORTIONS=12 pytest -n 2 tests/serverlog/test_fuzz.py` damages 240,000 lines; a normal run is the first portion.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from sglang_exporter.metrics.catalogue.readings import READINGS
from sglang_exporter.metrics.catalogue.scheduler import SCHEDULER
from sglang_exporter.serverlog.decoder import OTHER, LogDecoder
from sglang_exporter.serverlog.events import Event
from support.damaging import DAMAGES, Damage
from support.folding import page_of
from support.layout import printed_by
from support.printing import LAYOUTS, RELEASES, Printed, printed
from support.servers import Samples
from support.whole import candidates, whole

PORTION = 20_000
PORTIONS = range(int(os.environ.get("FUZZ_PORTIONS", "1")))
EXPORTED = {row.name for row in (*READINGS, *SCHEDULER)} - {"sglang_server_last_batch_timestamp_seconds"}
LINES = sorted((Path(__file__).parent / "lines").glob("*.log"))

LAYOUTS_OF = {release: [layout for layout in LAYOUTS if printed_by(layout.releases, release)] for release in RELEASES}


def exported(event: Event) -> Samples:
    """Return the series that one line exports; a counter at zero says nothing."""
    return {
        series: value
        for series, value in page_of([event]).items()
        if series[0] in EXPORTED and (value or not series[0].endswith("_total"))
    }


def decoded(decoder: LogDecoder, text: bytes) -> Iterator[tuple[str, Event]]:
    """Yield what the lines of a text say, each with its line."""
    for line in text.split(b"\n"):
        for event in decoder.decode(line):
            yield line.decode(errors="replace"), event


def may_export(event: Event, line: str, undamaged: list[Event]) -> bool:
    """Tell whether each value is one that an undamaged line exports, or a line that became whole again."""
    if event.kind == OTHER or event in undamaged:
        return True
    sources = [exported(each) for each in undamaged]
    if carried(event, sources):
        return True
    again = (whole(candidate) for candidate in candidates(line))
    return carried(
        event, [*sources, *(exported(each) for each in again if each and bool(each.time) == bool(event.time))]
    )


def carried(event: Event, sources: list[Samples]) -> bool:
    return all(any(source.get(series) == value for source in sources) for series, value in exported(event).items())


def logs(random: Random) -> list[list[Printed]]:
    """Return some lines of each release."""
    return [[printed(random, random.choice(LAYOUTS_OF[release]), release) for _ in range(40)] for release in RELEASES]


@pytest.mark.parametrize("portion", PORTIONS)
def test_every_exported_value_was_printed_by_an_undamaged_line(portion: int) -> None:
    random, damages = Random(portion), list(DAMAGES.values())
    of_releases = logs(random)
    understood = 0
    for _ in range(PORTION):
        before, line, after = random.sample(random.choice(of_releases), k=3)
        damaged = random.choice(damages)(random, line.line.encode(), after.line.encode())
        decoder = LogDecoder({}, {})
        assert list(decoder.decode(before.line.encode())), before
        for text, event in decoded(decoder, damaged):
            assert may_export(event, text, [line.event, after.event]), damaged
            understood += event.kind != OTHER
    assert understood > PORTION / 10


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
def test_no_damaged_line_of_any_kind_raises(damage: Damage) -> None:
    random, decoder = Random(damage.__name__), LogDecoder({}, {})
    log = [line for path in LINES for line in path.read_bytes().splitlines() if len(line) > 1]
    pairs = (random.sample(log, k=2) for _ in range(1000))
    damaged = (damage(random, line, after) for line, after in pairs)
    assert page_of(event for text in damaged for _, event in decoded(decoder, text))
