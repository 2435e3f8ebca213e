"""The files in which container runtimes keep a container's output, long lines in pieces."""

import re
from typing import Literal

import msgspec

from sglang_exporter.serverlog.opened import BLANK, ISO_TIME, Opened

_CRI = re.compile(ISO_TIME + rb" (stdout|stderr) ([FP])(?::\S{1,64})?" + BLANK)


class _DockerLine(msgspec.Struct):
    log: str
    stream: Literal["stdout", "stderr"]


_DOCKER = msgspec.json.Decoder(_DockerLine)


def docker(text: bytes) -> Opened | None:
    r"""Open `{"log":"...\n","stream":"stderr","time":"..."}`; a piece of 16 KiB has no line feed at its end."""
    if not text.startswith(b'{"log":'):
        return None
    try:
        line = _DOCKER.decode(text.decode(errors="replace"))
    except (msgspec.MsgspecError, RecursionError):
        return None
    inner = line.log.encode(errors="replace")
    complete = inner.endswith(b"\n")
    return Opened(inner[:-1] if complete else inner, b"docker " + line.stream.encode(), complete)


def cri(text: bytes) -> Opened | None:
    """Open `2025-07-30T12:00:00.123456789Z stderr F message`; P marks a piece that goes on."""
    found = _CRI.match(text)
    return Opened(text[found.end() :], b"cri " + found[1], found[2] == b"F") if found else None
