"""The log of Ray's driver: the lines of all its actors, each behind `(Name pid=123, ip=10.0.0.1)`."""

import re

from sglang_exporter.serverlog.opened import BLANK, Opened

_ACTOR = rb"\((?:[^\s()]{1,200}(?:\([^()]{0,200}\))? )?pid=(\d{1,10})(?:, ip=([\dA-Fa-f.:]{1,45}))?\)"
_PREFIX = re.compile(_ACTOR + BLANK)
_BEHIND_BAR = re.compile(rb"\] *+(?=" + _ACTOR + rb" \[\d)")
# vLLM puts the name of its process in the same brackets; its access lines would pass for SGLang's.
_VLLM = re.compile(rb"\((?:\w{0,99}(?i:vllm)|A(?:PI|pi)Server|EngineCore|CoreEngine|DPCoordinator|Worker_[A-Z])")
_REPEATED = re.compile(
    rb" \[repeated (\d{1,9})x across cluster\](?: \(Ray deduplicates logs by default\.[^()]*\))?\s*\Z"
)
_REPEATED_LENGTH = 512


def ray(text: bytes) -> Opened | None:
    """Open `(Name pid=123, ip=10.0.0.1) message [repeated 5x across cluster]`.

    The printed line is one of the five: see `LogDeduplicator` in Ray's `_private/ray_logging`.
    """
    found = _PREFIX.match(text)
    if not found or _VLLM.match(text):
        return None
    engine = found[1].decode() + (f"@{found[2].decode()}" if found[2] else "")
    end, tail = found.end(), text[-_REPEATED_LENGTH:]
    if b"x across cluster]" in tail and (suffix := _REPEATED.search(tail)):
        message = text[end : len(text) - len(tail) + suffix.start()]
        return Opened(message, found[0], engine=engine, repeated=max(int(suffix[1]) - 1, 0))
    return Opened(text[end:], found[0], engine=engine)


def split_behind_bar(text: bytes) -> list[bytes]:
    """Return `text` cut where a line of an actor was glued behind a progress bar of the driver's."""
    if text.find(b"pid=") >= 0 and (bar := _BEHIND_BAR.search(text)):
        return [text[: bar.end()], text[bar.end() :]]
    return [text]
