"""Lines that hold more, or less, than one record: resumed runs append to torn lines, loggers write before them."""

import json
import re

_START = re.compile(r'\{\s*"')
_OPENER = re.compile(r'\{\s*"[^"\\]*"\s*:')
_BETWEEN = re.compile(r"[\s,]*")
_MOST_ATTEMPTS = 100

_raw_decode = json.JSONDecoder(strict=False).raw_decode


def split_glued(text: str, opener: str | None) -> tuple[list[dict[str, object]], bool]:
    """Return the whole records in a line, and whether anything else of JSON was in it.

    After a torn part, the next record is looked for by how the file's records begin; objects inside the torn part are
    none, so a record must reach to the end of the line or to the next one.
    """
    if opener is None and (own := _OPENER.match(text)):
        opener = own[0]
    records: list[dict[str, object]] = []
    at = 0 if text.startswith("{") else _next_start(text, 0, opener)
    if at < 0:
        at = _next_start(text, 0, None)
    torn = at < 0
    failed = 0
    while 0 <= at < len(text) and failed < _MOST_ATTEMPTS:
        value, end = _decode_at(text, at)
        rest = text[end : end + 2]
        if isinstance(value, dict) and (rest[:1] in ("", "{") or (rest == "]" and not torn)):
            records.append(value)
            at = end if rest[:1] == "{" else len(text)
        else:
            torn = True
            failed += 1
            at = _next_start(text, at + 1, opener)
    return records, torn


def _next_start(text: str, at: int, opener: str | None) -> int:
    if opener is not None:
        return text.find(opener, at)
    found = _START.search(text, at)
    return found.start() if found else -1


def _decode_at(text: str, at: int) -> tuple[object, int]:
    """Return the value that begins here, or None, and where the next thing after it begins."""
    try:
        value, end = _raw_decode(text, at)
    except (ValueError, RecursionError):
        return None, at
    between = _BETWEEN.match(text, end)
    return value, between.end() if between else end
