"""How each line of a log, or record of an output file, is understood: the answer of `sglang-exporter explain`."""

import gzip
import json
import math
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

from msgspec.structs import asdict, replace

from sglang_exporter.explain_outputs import OutputFile, explain_records
from sglang_exporter.meaning import PUZZLES, in_words
from sglang_exporter.metrics.effects import effects
from sglang_exporter.outputs.decode import LineDecoder
from sglang_exporter.outputs.document import begins_document, begins_record
from sglang_exporter.serverlog.containers import docker
from sglang_exporter.serverlog.decoder import OTHER, LogDecoder
from sglang_exporter.serverlog.events import Event, Value

_DIM, _BOLD, _PLAIN = "\x1b[2m", "\x1b[1m", "\x1b[0m"
# Kinds that quote no text of a user's and hold no secret, so that the line itself can be shown.
_SHOWN = frozenset(
    ("decode", "prefill", "capacity", "kv_cache", "retract", "watchdog", "graph_end", "load_end", "ready")
)
_WIDEST = 160
_LOOKED_AT = 20
_T = TypeVar("_T")


class Explained(NamedTuple):
    """A recognised line: its number, line feeds counted from 1, its bytes, and what it says."""

    number: int
    line: bytes
    event: Event


class Puzzle(NamedTuple):
    """A line that was not, or not wholly, understood: its number, why, by a key of `PUZZLES`, and its masked shape."""

    number: int
    reason: str
    shape: str


def explain(path: Path, form: str) -> int:
    """Print each recognised line or record of `path` and return the exit status; `form` is text or jsonl."""
    shown = as_json if form == "jsonl" else TextForm(colour=sys.stdout.isatty() and "NO_COLOR" not in os.environ)
    try:
        with _open(path) as file:
            first = list(islice(file, _LOOKED_AT))
            lines = chain(first, file)
            if has_records(first):
                count = _print(str, explain_records(OutputFile(lines), form))
            else:
                count = _print(shown, answers(lines))
    except (OSError, EOFError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        return _failed(path, getattr(error, "strerror", None) or str(error))
    return (
        0 if count else _failed(path, "no line of it is one that an SGLang server logs, nor a record of an output file")
    )


def _open(path: Path) -> BinaryIO:
    if path == Path("-"):
        return sys.stdin.buffer
    return gzip.open(path, "rb") if path.suffix == ".gz" else path.open("rb")  # type: ignore[return-value]


def has_records(first: Sequence[bytes]) -> bool:
    """Tell whether the first lines of a file are records, damaged or not, or the begin of a document, and no log."""
    there = [line for line in first if line.strip()]
    if not there or any(map(docker, first)) or any(True for _ in explained(first)):
        return False
    decoder = LineDecoder()
    records = sum(bool(decoder.decode(line).objects) for line in there)
    if begins_document(there[0]) or 2 * records >= len(there):
        return True
    return 2 * sum(map(begins_record, there)) >= len(there) and not any(True for _ in answers(first))


def _print(shown: Callable[[_T], str], lines: Iterable[_T]) -> int:
    count = 0
    for line in lines:
        print(shown(line))  # noqa: T201 -- the command's answer
        count += 1
    return count


def _failed(path: Path, why: str) -> int:
    print(f"sglang-exporter: {path}: {why}", file=sys.stderr)  # noqa: T201 -- a message to the user
    return 1


def explained(lines: Iterable[bytes]) -> Iterator[Explained]:
    """Yield the recognised lines; one that a wrapper cut into pieces has the number of its last."""
    yield from (answer for answer in answers(lines) if isinstance(answer, Explained))


def answers(lines: Iterable[bytes]) -> Iterator[Explained | Puzzle]:
    """Yield the recognised lines, and those that should have been, each with why it was not understood."""
    puzzles, shapes = dict[str, int](), dict[str, int]()
    decoder = LogDecoder({}, puzzles, shapes)
    number, line = 0, b""
    for number, line in enumerate(lines, start=1):
        yield from _recognised(number, line, decoder.decode(line.rstrip(b"\n")))
        yield from _taken(number, puzzles, shapes)
    yield from _recognised(number, line, decoder.finish())
    yield from _taken(number, puzzles, shapes)


def _recognised(number: int, line: bytes, events: Iterable[Event]) -> Iterator[Explained]:
    yield from (Explained(number, line, event) for event in events if event.kind != OTHER)


def _taken(number: int, puzzles: dict[str, int], shapes: dict[str, int]) -> Iterator[Puzzle]:
    """Yield what one line has added to the counts, and clear them; the event itself says how many were swallowed."""
    shape = " | ".join(shapes)
    yield from (Puzzle(number, reason, shape) for reason in puzzles if reason != "repeated")
    puzzles.clear()
    shapes.clear()


def as_json(answer: Explained | Puzzle) -> str:
    """Return one line of `--format jsonl`."""
    if isinstance(answer, Puzzle):
        return json.dumps({"line": answer.number, "kind": OTHER, "reason": answer.reason, "shape": answer.shape})
    event = answer.event
    fields = {label: _without_nan(value) for label, value in event.fields.items()}
    row = {"line": answer.number, **asdict(replace(event, fields=fields))}
    if not event.repeated:
        del row["repeated"]
    return json.dumps(row, ensure_ascii=False)


class TextForm:
    """Lines for a person: what it means, the line, and the metrics that it sets."""

    def __init__(self, *, colour: bool) -> None:
        self._colour = colour

    def __call__(self, answer: Explained | Puzzle) -> str:
        """Return what is shown of one line."""
        return self._puzzle(answer) if isinstance(answer, Puzzle) else self._explained(answer)

    def _puzzle(self, puzzle: Puzzle) -> str:
        rows = [f"{puzzle.number:>6}  {self._in(_BOLD, f'one of the lines {PUZZLES[puzzle.reason]}')}"]
        if puzzle.shape:
            rows.append(self._in(_DIM, f"        {_cut(puzzle.shape)}"))
        return "\n".join(rows)

    def _explained(self, explained: Explained) -> str:
        event = explained.event
        who = " ".join(part for part in (event.engine, event.rank.upper()) if part)
        head = f"{explained.number:>6}  {(event.time or '').replace('T', ' '):<19}  {who}".rstrip()
        rows = [f"{head}  {self._in(_BOLD, in_words(event))}"]
        if event.kind in _SHOWN:
            rows.append(self._in(_DIM, f"        {_printable(explained.line)}"))
        rows += [f"        {effect}" for effect in effects(event)]
        if event.repeated:
            rows.append(f"        {event.repeated} more like it were swallowed by Ray: counters are lower bounds")
        return "\n".join(rows)

    def _in(self, code: str, text: str) -> str:
        return f"{code}{text}{_PLAIN}" if self._colour else text


def _printable(line: bytes) -> str:
    return _cut(line.decode(errors="replace").strip())


def _cut(line: str) -> str:
    text = "".join(c if c.isprintable() else "·" for c in line)
    return text if len(text) <= _WIDEST else f"{text[:_WIDEST]} ..."


def _without_nan(value: Value) -> Value:
    """Return the word for what JSON has no number for."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
