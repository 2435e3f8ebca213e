"""What a message behind SGLang's prefix says: the shapes of `grammar.py` put to work."""

import re
from collections.abc import Callable
from typing import NamedTuple

from sglang_exporter.serverlog import grammar
from sglang_exporter.serverlog.arguments import arguments
from sglang_exporter.serverlog.damage import require_whole
from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.pairs import pairs
from sglang_exporter.serverlog.requests import finished, json_line, time_stats
from sglang_exporter.serverlog.values import DamagedError, number_or_text

Fields = dict[str, Value]

_KEY_LENGTH = 3
_NEAR = 120
_BATCH_HEAD = re.compile(r"(?: \[\d+\])?(?:\((mixed #running-req: \d+)\))?[.,] ")
_ACCESS = re.compile(r'(\S+) - "(\w+) (\S+) HTTP/[\d.]+" (\d{3})(?: |$)')


class Said(NamedTuple):
    """Kind and fields of one message; `damage` names what was wrong with it, and then there are no fields."""

    kind: str
    fields: Fields
    damage: str = ""


def understand(message: bytes) -> Said | None:
    """Return what `message` says, None when it is nothing that SGLang's grammar knows."""
    for shape in _BY_KEY.get(message[:_KEY_LENGTH], ()):
        if message.startswith(shape.opener) and shape.word in message[:_NEAR]:
            return _read(shape, message)
    label, _, rest = message[:_NEAR].partition(grammar.LABELLED)
    return understand(message[len(label) + 1 :]) if rest else None


def _read(shape: grammar.Shape, message: bytes) -> Said:
    text = message[len(shape.opener) :].decode(errors="replace")
    try:
        kind, fields = _READERS[shape.reader](shape, text)
    except DamagedError:
        return Said(shape.kind, {}, "damaged")
    return Said(kind, fields)


def _nothing(shape: grammar.Shape, _text: str) -> tuple[str, Fields]:
    return shape.kind, {}


def _batch(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    """Read `[ [n]]?[(mixed ..)]?[.,] label: number, ...`; the separator changed with 0.5.4."""
    head = _BATCH_HEAD.match(text)
    if not head:
        raise DamagedError(text[:1])
    fields = {**(pairs(head[1]) if head[1] else {}), **pairs(text[head.end() :])}
    require_whole(shape.kind, fields)
    return shape.kind, fields


def _pairs(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    return shape.kind, pairs(shape.opener.decode() + text)


def _old_pairs(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    return shape.kind, pairs(text, ". ")


def _pairs_after_sentence(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    return shape.kind, pairs(text.strip(" .,"))


def _assignments(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    """Read `max_total_num_tokens=860527, max_running_requests=2392, ...`."""
    split = (part.partition("=") for part in (shape.opener.decode() + text).rstrip(" ,").split(", "))
    return shape.kind, {name: number_or_text(value) for name, _, value in split}


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


def _uvicorn(shape: grammar.Shape, text: str) -> tuple[str, Fields]:
    """Read uvicorn's own lines: an access line, or a word on its life."""
    if access := _ACCESS.match(text):
        path = access[3].partition("?")[0]  # a query may hold a prompt
        return "access", {"method": access[2], "path": path, "status": int(access[4])}
    if text.startswith("Finished server process"):
        return "stopped", {}
    return shape.kind, {}


_READERS: dict[str, Callable[[grammar.Shape, str], tuple[str, Fields]]] = {
    "nothing": _nothing,
    "batch": _batch,
    "pairs": _pairs,
    "old_pairs": _old_pairs,
    "pairs_after_sentence": _pairs_after_sentence,
    "assignments": _assignments,
    "sizes": _sizes,
    "arguments": _arguments,
    "finished": _finished,
    "time_stats": _time_stats,
    "json": _json,
    "uvicorn": _uvicorn,
}


def _by_key() -> dict[bytes, tuple[grammar.Shape, ...]]:
    keyed: dict[bytes, tuple[grammar.Shape, ...]] = {}
    for shape in grammar.SHAPES:
        key = shape.opener[:_KEY_LENGTH]
        keyed[key] = (*keyed.get(key, ()), shape)
    return keyed


_BY_KEY = _by_key()
