"""Counts in files that are not followed: lines of prompts, and a number in a JSON document."""

import gzip
import json
import zlib
from collections.abc import Generator
from pathlib import Path

from sglang_exporter.follow.disk import trouble
from sglang_exporter.outputs.steps import Index, Key, SchemeError, parse

_PIECE = 8 << 20
_MOST_JSON = 256 << 20
_DAMAGED = (OSError, EOFError, zlib.error)

Pieces = Generator[None, None, int]
"""Work that is done a piece at a time, and returns a count in the end."""


class NoCountError(Exception):
    """Why there is no count; the message names files and keys, and quotes nothing of what is in them."""


def count_lines(path: str) -> Pieces:
    """Return the lines of a file, `.gz` ones unpacked, that are not blank."""
    lines, begun = 0, False
    try:
        with gzip.open(path) if path.endswith(".gz") else Path(path).open("rb") as file:
            while piece := file.read(_PIECE):
                first, *others = piece.split(b"\n")
                begun = begun or bool(first.strip())
                if others:
                    lines += begun + sum(1 for line in others[:-1] if line.strip())
                    begun = bool(others[-1].strip())
                yield
    except _DAMAGED as error:
        raise NoCountError(trouble(path, error)) from error
    return lines + begun


def check_place(text: str) -> None:
    """Raise ValueError for what is no path to a count in a JSON document: keys and indices only, or nothing at all."""
    if text and not all(isinstance(step, (Key, Index)) for step in parse(text)):
        raise SchemeError(f"not a path to one value: {text!r}")


def number_at(path: str, place: str, dataset: str) -> int:
    """Return the number, or the length of the list or object, at a place of a JSON document.

    `{dataset}` in a key of the place stands for the name of a data set.
    """
    value = _document(path)
    for step in parse(place) if place else ():
        if isinstance(step, Key):
            value = value.get(step.name.replace("{dataset}", dataset)) if isinstance(value, dict) else None
        elif isinstance(step, Index) and isinstance(value, list):
            value = value[step.at] if -len(value) <= step.at < len(value) else None
    if isinstance(value, (list, dict)):
        return len(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and value == value // 1 and value >= 0:
        return int(value)
    raise NoCountError(f"{path}: no count at {place or 'the top'}")


def _document(path: str) -> object:
    try:
        if Path(path).stat().st_size > _MOST_JSON:
            raise NoCountError(f"{path}: too large a document")
        return json.loads(Path(path).read_bytes())
    except OSError as error:
        raise NoCountError(trouble(path, error)) from error
    except (ValueError, RecursionError):
        raise NoCountError(f"{path}: no JSON document") from None
