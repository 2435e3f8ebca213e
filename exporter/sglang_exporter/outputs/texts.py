"""The texts of a record: whether there are any, and whether they are texts. Nothing else is asked of them."""

from collections.abc import Iterable, Iterator

from msgspec import Raw, json

from sglang_exporter.outputs.paths import Path
from sglang_exporter.outputs.values import is_null

_EMPTY = (b'""', b"null", b"[]", b"{}")
_LOOK_AT = 16


def any_text(record: object, paths: Iterable[Path]) -> bool:
    """Tell whether a record holds a text that is not empty."""
    return any(_head(text) not in _EMPTY if isinstance(text, Raw) else text for text in _texts(record, paths))


def only_other(record: object, paths: Iterable[Path]) -> bool:
    """Tell whether what stands in the place of the texts is something else, as pairs of a multiple choice."""
    there = [text for text in _texts(record, paths) if not is_null(text)]
    return bool(there) and not any(_is_text(text) for text in there)


def _texts(record: object, paths: Iterable[Path]) -> Iterator[object]:
    for path in paths:
        value = path.get(record)
        if isinstance(value, Raw) and _head(value).startswith(b"["):
            value = json.decode(value, type=list[Raw])
        yield from value if isinstance(value, list) else (value,)


def _is_text(value: object) -> bool:
    """Tell whether a value is a string, a message, or a list of the parts of a message."""
    if isinstance(value, Raw):
        return _head(value).replace(b" ", b"").startswith((b'"', b"{", b"[{"))
    return isinstance(value, (str, dict)) or (isinstance(value, list) and any(isinstance(item, dict) for item in value))


def _head(raw: Raw) -> bytes:
    return bytes(memoryview(raw)[:_LOOK_AT])
