"""Why a request failed: one of a short closed list, found in the words and codes that its record gives."""

import re
from collections.abc import Iterable, Iterator

NULL_OUTPUT = "null_output"
OTHER = "other"

_PATTERNS = {
    "context_length": r"context.?(length|window)|(maximum|exceeds? the|exceeded) context|context too long"
    r"|longer than the model|(prompt|input) is too long|too many tokens",
    "expired": r"expired",
    "timeout": r"time(d)?.?out|deadline exceeded",
    "abort": r"abort|cancel",
    "http_429": r"rate.?limit|too many requests",
    "connection": r"connect|peer closed|reset by peer|remoteprotocol|(read|write)error|refused|unreachable|broken pipe"
    r"|name resolution",
    "http_5xx": r"internal.?server|server.?error|bad gateway|unavailable|overloaded",
    "http_4xx": r"bad.?request|not.?found|unauthori[sz]ed|authentication|forbidden|unprocessable|invalid.?request",
}
_WORDS = tuple((reason, re.compile(pattern)) for reason, pattern in _PATTERNS.items())
_CODE_IN_TEXT = re.compile(r"(?:^|(?:http|status|code|error)\D{0,12})([45]\d\d)\b")
_TELLING = ("code", "status_code", "status", "type", "message", "detail", "error")
_MOST_CHARACTERS = 2000
_MOST_ITEMS = 3

REASONS = (*_PATTERNS, NULL_OUTPUT, OTHER)


def error_reason(evidence: Iterable[object]) -> str:
    """Return the reason of `REASONS` for what made a record an error: messages, codes, error objects, null."""
    said = [word for value in evidence for word in _words(value)]
    if not said:
        return NULL_OUTPUT
    text = "\n".join(said).lower()
    for reason, pattern in _WORDS:
        if pattern.search(text):
            return reason
    return next((found for word in said if (found := _by_code(word.lower()))), OTHER)


def _words(value: object, depth: int = 3) -> Iterator[str]:
    """Yield what a value says, cut to a bounded length; nothing for null."""
    if isinstance(value, str):
        yield value[:_MOST_CHARACTERS]
    elif isinstance(value, (bool, int, float)):
        yield str(value)
    elif isinstance(value, dict) and depth:
        for key in _TELLING:
            yield from _words(value.get(key), depth - 1)
    elif isinstance(value, list) and depth:
        for item in value[:_MOST_ITEMS]:
            yield from _words(item, depth - 1)


def _by_code(word: str) -> str | None:
    found = _CODE_IN_TEXT.search(word)
    if not found:
        return None
    if found[1] == "429":
        return "http_429"
    return f"http_{found[1][0]}xx"
