"""The `server_args=` line: the arguments of a start, in either spelling."""

import ast
import re
import zlib
from collections.abc import Iterator

from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.grammar import SERVER_ARGUMENTS

_TOKEN = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|[()\[\]{}]|,")
_NAMED = re.compile(r"\s*(?:(\w+)=|'(\w+)': )(.*)", re.DOTALL)


def arguments(text: str) -> dict[str, Value]:
    """Return the arguments of `ServerArgs(a=1, ...)`, `{'a': 1, ...}` or `a=1, ...` that `SERVER_ARGUMENTS` names.

    `digest` tells two lines apart without keeping their text, which may hold an API key.
    """
    fields: dict[str, Value] = {"digest": zlib.crc32(text.encode())}
    body = text.removeprefix("ServerArgs(").removeprefix("{")
    for piece in _top_level(body):
        named = _NAMED.match(piece)
        if named and (name := named[1] or named[2]) in SERVER_ARGUMENTS:
            fields[name] = _literal(named[3])
    return fields


def _top_level(text: str) -> Iterator[str]:
    """Yield what stands between the commas outside of any bracket or string."""
    depth = start = 0
    for token in _TOKEN.finditer(text):
        mark = token[0]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark == "," and depth == 0:
            yield text[start : token.start()]
            start = token.end()
        if depth < 0:
            yield text[start : token.start()]
            return
    yield text[start:]


def _literal(text: str) -> Value:
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):  # the last two for brackets or signs without end
        return text
    return value if isinstance(value, int | float | str | bool) or value is None else str(value)
