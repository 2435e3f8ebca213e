"""How each record of an output file is understood: `sglang-exporter explain` on one."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from sglang_exporter.outputs.decode import LineDecoder
from sglang_exporter.outputs.document import begins_document
from sglang_exporter.outputs.matched import matched
from sglang_exporter.outputs.presets import GENERIC, preset
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record

_SHOWN = 20


class Told(NamedTuple):
    """What a line adds: its number, line feeds counted from 1, and one of its records."""

    line: int
    record: Record


class OutputFile:
    """An output file, of which the first lines have been looked at."""

    def __init__(self, lines: Iterable[bytes]) -> None:
        rest = iter(lines)
        self.preset, self._first = _settled(rest)
        self._rest = rest
        self.mapping = preset(self.preset)

    def records(self) -> Iterator[Told]:
        """Yield all records; the lines of an indented document add nothing before its last."""
        reader = OutputReader(self.mapping)
        number = 0
        for number, line in enumerate(chain(self._first, self._rest), start=1):
            told = reader.read(line[:-1]) if line.endswith(b"\n") else reader.finish(line)
            yield from (Told(number, record) for record in told or [])
        yield from (Told(number, record) for record in reader.finish() or [])

    def paths(self) -> list[str]:
        """Return which paths and conditions of the mapping say something of the first records, a row each."""
        decoder = LineDecoder()
        whole = begins_document(self._first[0]) if self._first else False
        texts = [b"".join(self._first)] if whole else self._first
        values = [value for text in texts for value in decoder.decode(text).objects]
        records = [record for value in values for record in self.mapping.records(value)]
        found = matched(self.mapping.scheme, records)
        return [f"{key:<14} {text}, in {hits:,} of {len(records):,}" for key, text, hits in found]


def _settled(lines: Iterator[bytes]) -> tuple[str, list[bytes]]:
    """Return the preset that the first lines stand for, and these lines."""
    reader, first = OutputReader(), []
    for line in lines:
        first.append(line)
        if line.endswith(b"\n"):
            reader.read(line[:-1])
        else:
            reader.finish(line)
        if reader.settled:
            break
    else:
        reader.finish()
    return reader.preset or GENERIC, first


def explain_records(file: OutputFile, form: str) -> Iterator[str]:
    """Yield the rows of the answer; nothing when the file has no record."""
    if form == "jsonl":
        yield from (_as_json(file.preset, told) for told in file.records())
        return
    tally = Summary()
    for told in file.records():
        if not tally.lines:
            yield f"output file, read by the preset {file.preset}"
            yield from (f"        {row}" for row in file.paths())
        tally.add(told.record)
        if tally.lines <= _SHOWN:
            yield f"{told.line:>6}  {in_words(told.record)}"
    if tally.lines:
        yield from tally.rows(live=file.mapping.scheme.live)


class Summary:
    """All records of a file together, and what is missing in them."""

    def __init__(self) -> None:
        self.lines = 0
        self._sums: Counter[str] = Counter()

    def add(self, record: Record) -> None:
        """Count a record."""
        self.lines += 1
        self._sums["malformed"] += record.malformed
        self._sums["skipped"] += record.skipped
        self._sums["records"] += not (record.malformed or record.skipped)
        self._sums["completions"] += record.completions
        self._sums["failed"] += sum(number for _, number in record.errors)
        self._sums["uncounted"] += record.uncounted
        self._sums["named"] += record.key is not None

    def rows(self, *, live: bool) -> Iterator[str]:
        """Yield the sums in words, and what the job would need."""
        sums = self._sums
        if self.lines > _SHOWN:
            yield f"        and {self.lines - _SHOWN:,} more"
        yield (
            f"{sums['records']:,} records, {sums['completions']:,} completions, {sums['failed']:,} failed requests,"
            f" {sums['skipped']:,} skipped, {sums['malformed']:,} malformed"
        )
        if sums["uncounted"]:
            yield (
                f"{sums['uncounted']:,} completions without a token count: tokens.average (--average-tokens) estimates"
                " them, or tokens.chars_per_token where there is text; in a series of its own"
            )
        if sums["records"] and not sums["named"]:
            yield "no id: a record that is written again cannot be told from a new one"
        if not live:
            yield "such a file is written in one go: no rate and no time left is told"


def in_words(record: Record) -> str:
    """Return what a record counts as."""
    if record.malformed:
        return "malformed: nothing could be read from it"
    if record.skipped:
        return "skipped: left out by the job, and done" if record.settles else "skipped: no request"
    failed = ", ".join(f"{number} failed: {reason}" for reason, number in record.errors)
    if failed and not record.completions:
        return f"{failed}, after {record.failed_output_tokens:,.0f} tokens" if record.failed_output_tokens else failed
    return ", ".join(part for part in (*_good(record), failed) if part)


def _good(record: Record) -> Iterator[str]:
    yield f"{record.completions:,} completion{'' if record.completions == 1 else 's'}"
    if record.output_tokens or record.lengths:
        yield f"{record.output_tokens:,.0f} tokens"
    if record.uncounted > 0:
        yield f"{record.uncounted:,} without a token count"
    if record.input_tokens is not None:
        yield f"{record.input_tokens:,.0f} prompt tokens"
    if record.cached_tokens:
        yield f"{record.cached_tokens:,.0f} of them cached"
    yield from (reason if number == 1 else f"{number} x {reason}" for reason, number in _reasons(record).items())
    if record.latencies:
        yield f"{', '.join(f'{seconds:g}' for seconds in record.latencies)} s"


def _reasons(record: Record) -> Counter[str]:
    return Counter(record.finish_reasons)


def _as_json(name: str, told: Told) -> str:
    """Return one line of `--format jsonl`: numbers only, and whether there is an id."""
    record = told.record
    kind = "malformed" if record.malformed else "skipped" if record.skipped else "record"
    row: dict[str, object] = {"line": told.line, "kind": kind, "preset": name}
    if kind == "record":
        row |= {
            "completions": record.completions,
            "errors": dict(record.errors),
            "output_tokens": record.output_tokens,
            "uncounted": record.uncounted,
            "failed_output_tokens": record.failed_output_tokens,
            "input_tokens": record.input_tokens,
            "cached_tokens": record.cached_tokens,
            "finish_reasons": _reasons(record),
            "latency_seconds": record.latencies,
            "timestamp_seconds": record.timestamp,
            "has_id": record.key is not None,
        }
    return json.dumps(row)
