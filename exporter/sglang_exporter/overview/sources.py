"""Sources: whether each can be read, how far it has been, and what in it was not understood."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from sglang_exporter.meaning import PUZZLES
from sglang_exporter.overview.charts import data
from sglang_exporter.overview.html import Markup, tag, together
from sglang_exporter.overview.parts import badge, table
from sglang_exporter.overview.samples import Reading, Said
from sglang_exporter.overview.words import amount, size

_PREFIX = "sglang_exporter_"
_MALFORMED = "of output files that are no record"


class Source(NamedTuple):
    """A source of the page, by its label in /metrics, and why it cannot be read."""

    label: str
    said: Said
    trouble: str
    unmatched: bool

    def reading(self, metric: str) -> Reading | None:
        """Return the one sample of a metric `sglang_exporter_*`."""
        return self.said.total(f"{_PREFIX}{metric}")


def health(sources: list[Source]) -> Markup:
    """Return a table with a row for each source."""
    return table(
        "Sources",
        ("Source", "Files", "Read", "Behind", "Lost"),
        (
            (
                together(source.label, " ", _state(source)),
                data(source.reading("source_files"), amount),
                data(source.reading("bytes_total"), size),
                data(source.reading("lag_bytes"), size),
                data(source.reading("lost_bytes_total"), size),
            )
            for source in sources
        ),
    )


def _state(source: Source) -> Markup:
    up, caught_up = source.reading("source_up"), source.reading("source_caught_up")
    if source.unmatched:
        return together(badge("down", "bad"), " no file matches yet")
    if not (up and up.value):
        return together(badge("down", "bad"), f" {source.trouble or 'no file is there'}")
    if not (caught_up and caught_up.value):
        return together(badge("catching up", "busy"), " reads what was there before")
    return together(badge("up", "good"), f" but one file: {source.trouble}" if source.trouble else None)


def puzzles(sources: list[Source], malformed: Mapping[str, Reading]) -> Markup:
    """Return what was not understood, and how to see the lines; `malformed` are lines of output files, by data set."""
    found = [*_puzzles(sources)]
    found += [
        (f"outputs:{name}", data(reading, amount), f"lines {_MALFORMED}")
        for name, reading in malformed.items()
        if reading.value
    ]
    if not found:
        return tag("p", "Nothing: each line that looks like one of SGLang's, and each record, was understood.")
    shows = "These lines are shown, with what is made of them, by ", tag("code", "sglang-exporter explain FILE"), "."
    return together(
        table("What was not understood", ("Source", "Lines", "Why"), found, numbers=False), tag("p", *shows)
    )


def _puzzles(sources: list[Source]) -> Iterator[tuple[str, Markup, str]]:
    metric = f"{_PREFIX}unrecognised_lines_total"
    for source in sources:
        for reason in source.said.by(metric, "reason"):
            reading = source.said.total(metric, reason=reason)
            if reading and reading.value:
                yield source.label, data(reading, amount), f"lines {PUZZLES.get(reason, reason)}"
