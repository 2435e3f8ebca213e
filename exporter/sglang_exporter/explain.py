"""How each line of a log is understood: the answer of `sglang-exporter explain`."""

import json
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from sglang_exporter.serverlog.decoder import OTHER, LogDecoder
from sglang_exporter.serverlog.events import Event, Value


def explain(path: Path, form: str) -> int:
    """Print each recognised line of `path` and return the exit status; `form` is text or jsonl."""
    shown = as_json if form == "jsonl" else as_text
    try:
        with path.open("rb") as file:
            for number, event in explained(file):
                print(shown(number, event))  # noqa: T201 -- the command's answer
    except OSError as error:
        print(f"sglang-exporter: {path}: {error.strerror}", file=sys.stderr)  # noqa: T201 -- a message to the user
        return 1
    return 0


def explained(lines: Iterable[bytes]) -> Iterator[tuple[int, Event]]:
    """Yield the number of each recognised line, line feeds counted from 1, with what it says."""
    decoder = LogDecoder({}, {})
    for number, line in enumerate(lines, start=1):
        for event in decoder.decode(line.rstrip(b"\n")):
            if event.kind != OTHER:
                yield number, event


def as_json(number: int, event: Event) -> str:
    """Return one line of `--format jsonl`."""
    fields = {label: _without_nan(value) for label, value in event.fields.items()}
    return json.dumps({"line": number, **event._replace(fields=fields)._asdict()}, ensure_ascii=False)


def as_text(number: int, event: Event) -> str:
    """Return one line of `--format text`: where, when, who, what."""
    told = ", ".join(f"{label} = {value}" for label, value in event.fields.items())
    return f"{number:>7}  {event.time or '-':<23}  {event.rank.upper():<8}  {event.kind:<20}  {told}".rstrip()


def _without_nan(value: Value) -> Value:
    """Return the word for what JSON has no number for."""
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
