"""A line's bytes to JSON objects: NaN, lone surrogates and what stream clients and loggers put around them included."""

import json
import re
from contextlib import suppress
from typing import NamedTuple

import msgspec

from sglang_exporter.outputs.glued import split_glued

Objects = list[dict[str, object]]

REFUSED = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_NOTHING = ("", "[DONE]", "[", "]")
"""Blank, the end of a stream, and the ends of a list that has a record on each line."""
_STREAM_FIELD = re.compile(r"(event|id|retry)?:")
_OPENER = re.compile(rb'\s*(\{\s*"[^"\\]*"\s*:)')


class Decoded(NamedTuple):
    """The objects in a line, and whether any part of it was unreadable."""

    objects: Objects
    malformed: bool = False


class LineDecoder:
    """The decoder of one file's lines. `decoder` is its mapping's; `opener` is how its records begin, as `{"id":`."""

    def __init__(self) -> None:
        self.decoder: msgspec.json.Decoder[object] = msgspec.json.Decoder(object)
        self.opener: str | None = None

    def decode(self, line: bytes) -> Decoded:
        """Return the objects in a line; a list of them is several, a blank line none."""
        try:
            value = self.decoder.decode(line)
        except REFUSED:
            return self._behind_prefix(line)
        if self.opener is None and (opener := _OPENER.match(line)):
            self.opener = opener[1].decode("utf-8", "replace")
        return _objects(value)

    def _behind_prefix(self, line: bytes) -> Decoded:
        """Try without what a logger or a stream client writes before a record."""
        start = line.find(b"{")
        if start > 0:
            with suppress(*REFUSED):
                return _objects(self.decoder.decode(line[start:]))
        return self._second_chance(line)

    def _second_chance(self, line: bytes) -> Decoded:
        text = line.decode("utf-8", "replace").replace("\0", "").lstrip("\ufeff").strip()
        if text.startswith("data:"):
            text = text.removeprefix("data:").strip()
        if text in _NOTHING or _STREAM_FIELD.match(text):
            return Decoded([])
        try:
            return _objects(json.loads(text, strict=False))
        except (ValueError, RecursionError):
            return Decoded(*split_glued(text, self.opener))


def _objects(value: object) -> Decoded:
    if isinstance(value, dict):
        return Decoded([value])
    if isinstance(value, list):
        objects = [item for item in value if isinstance(item, dict)]
        return Decoded(objects, malformed=bool(value) and not objects)
    return Decoded([], malformed=True)
