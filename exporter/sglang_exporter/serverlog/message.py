"""What a message behind SGLang's prefix says: the shapes of `grammar.py` put to work."""

import re

import msgspec

from sglang_exporter.serverlog import grammar
from sglang_exporter.serverlog.arguments import arguments
from sglang_exporter.serverlog.damage import OddError
from sglang_exporter.serverlog.events import Request
from sglang_exporter.serverlog.requests import finished, json_line, time_stats
from sglang_exporter.serverlog.status import READERS, Fields, Reader
from sglang_exporter.serverlog.values import DamagedError, number_or_text

_KEY_LENGTH = 3
_NEAR = 120
_LAST_WORD = re.compile(r" remaining number of requests 0\b")
_ACCESS = re.compile(r'(\S+) - "(\w+) (\S+) HTTP/[\d.]+" (\d{3})(?: |$)')


class Said(msgspec.Struct, frozen=True):
    """Kind and fields of one message; `damage` names what was wrong with it.

    `odd` are the labels of a status line that no known release prints together: damage, unless they come again.
    """

    kind: str
    fields: Fields
    damage: str = ""
    odd: tuple[str, ...] = ()


def understand(message: bytes) -> Said | None:
    """Return what `message` says, None when it is nothing that SGLang's grammar knows."""
    for shape in _BY_KEY.get(message[:_KEY_LENGTH], ()):
        if message.startswith(shape.opener) and message.find(shape.word, 0, _NEAR) >= 0:
            return _read(shape, message)
    label, _, rest = message[:_NEAR].partition(grammar.LABELLED)
    return understand(message[len(label) + 1 :]) if rest else None


def _read(shape: grammar.Shape, message: bytes) -> Said:
    text = message[len(shape.opener) :].decode(errors="replace")
    try:
        kind, fields = _READERS[shape.reader](shape, text)
    except OddError as odd:
        return Said(shape.kind, odd.fields, "damaged", tuple(odd.fields))
    except DamagedError:
        return Said(shape.kind, {}, "damaged")
    return Said(kind, fields)


def _nothing(shape: grammar.Shape, _text: str) -> tuple[str, Fields]:
    return shape.kind, {}


def _sizes(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    """Read `dtype: torch.bfloat16, #tokens: 860527, K size: 5.60 GB, avail mem=6.67 GB`, sizes in GB as printed."""
    split = (re.split(": |=", part, maxsplit=1) for part in text.strip(" .,").split(", "))
    return shape.kind, {part[0]: number_or_text(part[1]) for part in split if len(part) > 1}


def _arguments(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    return shape.kind, arguments(text)


def _finished(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    return shape.kind, finished(text)


def _time_stats(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    return shape.kind, time_stats(text)


def _json(_shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    return json_line('{"timestamp": "' + text)


def _draining(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    """Read `remaining number of requests 8` after SIGTERM; with none left, releases that write it small end there."""
    return "stopped" if _LAST_WORD.match(text) else shape.kind, {}


def _uvicorn(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    """Read uvicorn's own lines: an access line, or a word on its life."""
    if access := _ACCESS.match(text):
        path = access[3].partition("?")[0]  # a query may hold a prompt
        return "access", Request({"method": access[2], "path": path, "status": int(access[4])})
    if text.startswith("Finished server process"):
        return "stopped", {}
    return shape.kind, {}


_READERS: dict[str, Reader] = {
    **READERS,
    "nothing": _nothing,
    "sizes": _sizes,
    "arguments": _arguments,
    "finished": _finished,
    "time_stats": _time_stats,
    "json": _json,
    "draining": _draining,
    "uvicorn": _uvicorn,
}


def _by_key() -> dict[bytes, tuple[grammar.Shape, ...]]:
    keyed: dict[bytes, tuple[grammar.Shape, ...]] = {}
    for shape in grammar.SHAPES:
        key = shape.opener[:_KEY_LENGTH]
        keyed[key] = (*keyed.get(key, ()), shape)
    return keyed


_BY_KEY = _by_key()
