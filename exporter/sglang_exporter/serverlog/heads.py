"""What a logging configuration of the user's own puts before SGLang's message (SGLANG_LOGGING_CONFIG_PATH, 0.4.4+).

[2025-11-23 23:34:08] INFO engine.py:123: server_args=ServerArgs(...)
2025-11-23 23:34:08,123 - sglang.srt.managers.scheduler - INFO - Decode batch. #running-req: 4, ...
"""

import re
from typing import NamedTuple

from sglang_exporter.serverlog.grammar import SHAPES, TOLD_BEHIND_A_HEAD
from sglang_exporter.serverlog.stamps import possible

_LONGEST = 300
_OPENERS = b"|".join(re.escape(shape.opener) for shape in SHAPES if shape.kind in TOLD_BEHIND_A_HEAD)
_MESSAGE = re.compile(rb"(?<=[:\]|>-] )(?:" + _OPENERS + rb")")
_LEVELS = (b"INFO", b"WARN", b"ERROR", b"DEBUG", b"CRITICAL")
_LEVEL = re.compile(rb"\b(?:DEBUG|INFO|WARN|WARNING|ERROR|CRITICAL)\b")
_QUOTE = re.compile(rb"['\"`=]")
_TIME = re.compile(rb"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d")


class BehindHead(NamedTuple):
    """A message, and the time that the head before it prints, None if it prints none."""

    message: bytes
    time: str | None


def behind_head(text: bytes) -> BehindHead | None:
    """Return SGLang's message behind a logger's own head, which names a level and quotes nothing."""
    near = text[:_LONGEST]
    if max([near.find(level) for level in _LEVELS]) < 0:  # at a tenth of what the search costs
        return None
    found = _MESSAGE.search(near)
    if not found:
        return None
    head = text[: found.start()]
    if _QUOTE.search(head) or not _LEVEL.search(head):
        return None
    time = _TIME.search(head)
    stamp = time[0].decode().replace(" ", "T") if time else ""
    return BehindHead(text[found.start() :], stamp if possible(stamp) else None)
