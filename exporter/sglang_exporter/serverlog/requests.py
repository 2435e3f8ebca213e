"""Lines about single requests: `Finish:`, ReqTimeStats and the JSON request log. Text of a request is never kept."""

import re

import msgspec

from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.values import DamagedError, number_or_text

_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")
_COUNTED = re.compile(
    r"\b(prompt_tokens|completion_tokens|cached_tokens|e2e_latency)['\"]?: (\d{1,18}(?:\.\d+)?(?:e-?\d+)?)"
)
_KEYS = frozenset(("prompt_tokens", "completion_tokens", "cached_tokens", "e2e_latency", "meta_info"))


def finished(text: str) -> dict[str, Value]:
    """Return the counts of a `Finish:` line's `meta_info`; raises DamagedError when they are not there.

    Strings are blanked first, for a prompt may hold anything, look-alikes of the counts too.
    """
    bare = _STRING.sub(lambda s: s[0] if s[0][1:-1] in _KEYS else "''", text)
    _, found, out = bare.rpartition("out=")
    fields: dict[str, Value] = {
        key: float(value) if key == "e2e_latency" else int(value) for key, value in _COUNTED.findall(out) if found
    }
    if "completion_tokens" not in fields:
        raise DamagedError("no completion_tokens")
    return fields


def time_stats(text: str) -> dict[str, Value]:
    """Return the numbers between the brackets of `ReqTimeStats(rid=.., input_len=5, ...)`."""
    inside, closed, _ = text.partition(")")
    if not closed:
        raise DamagedError("no end")
    split = (part.partition("=") for part in inside.split(", "))
    return {name: number_or_text(value) for name, _, value in split if name not in ("rid", "bootstrap_room")}


class _MetaInfo(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    cached_tokens: int | None = None
    e2e_latency: float | None = None


class _Out(msgspec.Struct):
    meta_info: _MetaInfo = msgspec.field(default_factory=_MetaInfo)


class _Line(msgspec.Struct):
    event: str
    out: _Out | None = None
    rank: int | None = None
    running_rids: list[msgspec.Raw] = []
    queued_rids: list[msgspec.Raw] = []


_DECODER = msgspec.json.Decoder(_Line)
_EVENTS = frozenset(("request.received", "request.received.openai", "request.finished"))


def json_line(text: str) -> tuple[str, dict[str, Value]]:
    """Return kind and counts of a JSON log line (SGLang 0.5.7 and later); raises DamagedError when it is none."""
    try:
        line = _DECODER.decode(text)
    except msgspec.MsgspecError as error:
        raise DamagedError("not JSON") from error
    if line.event == "scheduler.status":
        return "json.scheduler.status", {
            "rank": line.rank,
            "running": len(line.running_rids),
            "queued": len(line.queued_rids),
        }
    if line.event not in _EVENTS:
        raise DamagedError("an event that no release logs")
    counts = msgspec.structs.asdict(line.out.meta_info) if line.out else {}
    return f"json.{line.event}", {key: value for key, value in counts.items() if value is not None}
