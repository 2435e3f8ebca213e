"""What a model said in a record: its answers, and the reasoning before them, as strings."""

from collections.abc import Iterable, Iterator
from contextlib import suppress

import msgspec

from sglang_exporter.outputs.paths import Path, compile_path
from sglang_exporter.outputs.scheme import Scheme, listed

Alternative = tuple[Path, ...]
"""Places that belong together: an answer, and its reasoning where that stands beside it."""

_CONTENT = ".content"
_REASONING = ("reasoning_content", "reasoning")
_PARTS = ("content", "text", *_REASONING)


def alternatives(scheme: Scheme) -> tuple[Alternative, ...]:
    """Return the places where a format has its texts; the first that holds any counts."""
    return tuple(tuple(map(compile_path, _beside(text))) for text in listed(scheme.text))


def spoken(record: object, places: Iterable[Alternative]) -> list[str]:
    """Return the texts of a record."""
    for alternative in places:
        if texts := [text for path in alternative for text in _strings(path.get(record))]:
            return texts
    return []


def _beside(text: str) -> Iterator[str]:
    yield text
    if text.endswith(_CONTENT):
        yield from (f"{text.removesuffix(_CONTENT)}.{name}" for name in _REASONING)


def _strings(value: object) -> Iterator[str]:
    """Yield the strings in a value: itself, those of a list, those of a message or of its parts."""
    if isinstance(value, msgspec.Raw):
        with suppress(msgspec.MsgspecError, RecursionError):
            yield from _strings(msgspec.json.decode(value))
    elif isinstance(value, str):
        if value:
            yield value
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)
    elif isinstance(value, dict):
        for name in _PARTS:
            yield from _strings(value.get(name))
