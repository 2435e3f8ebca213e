"""The wrappers: what container runtimes, journals, schedulers and Ray put around a line of SGLang's.

To add a wrapper, add a row to `WRAPPERS`.
"""

import re
from collections.abc import Callable
from string import ascii_letters, digits
from typing import Literal, NamedTuple

import msgspec


class Opened(NamedTuple):
    """What one wrapper holds; `text` is None where the line is the wrapper's own.

    `source` tells apart the streams, containers and tasks whose lines share a log. Where `complete` is False, the line
    goes on with the next text of the same source. `engine` and `repeated` are those of `Unwrapped`.
    """

    text: bytes | None
    source: bytes = b""
    complete: bool = True
    engine: str | None = None
    repeated: int = 0


class Wrapper(NamedTuple):
    """One wrapper: lines in it begin with one of the bytes `first`, and `open` gives None for any other line.

    A `doubtful` one looks like the beginning of a text, such as `1: ` or `Name | `.
    """

    name: str
    first: str
    open: Callable[[bytes], Opened | None]
    doubtful: bool = False


# A blank behind a label may be cut off where the message is empty.
_BLANK = rb"(?: |(?=\r?\Z))"
_ISO_TIME = rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
_MONTH_TIME = rb"[^\s\d:<(\[{]{3,12} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?"
_PRIORITY = rb"<\d{1,3}>"
_HOST = rb"\S{0,254}[^\s:] "
_TAG_WITH_PID = rb"[^\s\[]{1,254}\[\d+\]"
_TAG = rb"(?:" + _TAG_WITH_PID + rb"|[^\s:\[]{1,254})"
_STRUCTURED_DATA = rb'(?:-|(?:\[[^\s\]="]++(?: [^\s\]="]++="[^"\\]*+(?:\\.[^"\\]*+)*+")*+\])++)'

_CRI = re.compile(_ISO_TIME + rb" (stdout|stderr) ([FP])(?::\S{1,64})?" + _BLANK)
_RAY = re.compile(
    rb"\((?:[^\s()]{1,200}(?:\([^()]{0,200}\))? )?pid=(\d{1,10})(?:, ip=([\dA-Fa-f.:]{1,45}))?\)" + _BLANK
)
# vLLM puts the name of its process in the same brackets; its access lines would pass for SGLang's.
_VLLM = re.compile(rb"\((?:\w{0,99}(?i:vllm)|A(?:PI|pi)Server|EngineCore|CoreEngine|DPCoordinator|Worker_[A-Z])")
_REPEATED = re.compile(
    rb" \[repeated (\d{1,9})x across cluster\](?: \(Ray deduplicates logs by default\.[^()]*\))?\s*\Z"
)
_REPEATED_LENGTH = 512
_SUPERVISOR = re.compile(
    rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (?:DEBG|TRAC|BLAT) '[^']{1,254}' std(?:out|err) output:\s*\Z"
)


class _DockerLine(msgspec.Struct):
    log: str
    stream: Literal["stdout", "stderr"]


_DOCKER = msgspec.json.Decoder(_DockerLine)


def _docker(text: bytes) -> Opened | None:
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


def _cri(text: bytes) -> Opened | None:
    """Open `2025-07-30T12:00:00.123456789Z stderr F message`; P marks a piece that goes on."""
    found = _CRI.match(text)
    return Opened(text[found.end() :], b"cri " + found[1], found[2] == b"F") if found else None


def _ray(text: bytes) -> Opened | None:
    """Open `(Name pid=123, ip=10.0.0.1) message [repeated 5x across cluster]`.

    The printed line is one of the five, see `LogDeduplicator` in Ray's `_private/ray_logging`.
    """
    found = _RAY.match(text)
    if not found or _VLLM.match(text):
        return None
    pid, ip = found[1].decode(), found[2]
    engine = f"{pid}@{ip.decode()}" if ip else pid
    end, tail = found.end(), text[-_REPEATED_LENGTH:]
    if b"x across cluster]" in tail and (suffix := _REPEATED.search(tail)):
        message = text[end : len(text) - len(tail) + suffix.start()]
        return Opened(message, found[0], engine=engine, repeated=max(int(suffix[1]) - 1, 0))
    return Opened(text[end:], found[0], engine=engine)


def _supervisor(text: bytes) -> Opened | None:
    """Open `2025-07-30 12:00:00,123 DEBG 'sglang' stdout output:`: what was printed follows on lines of its own."""
    return Opened(None) if _SUPERVISOR.match(text) else None


def _label(pattern: bytes) -> Callable[[bytes], Opened | None]:
    """Return what opens lines behind `pattern`, of which the group is the source."""
    label = re.compile(pattern)

    def opened(text: bytes) -> Opened | None:
        found = label.match(text)
        return Opened(text[found.end() :], b"".join(found.groups())) if found else None

    return opened


_KUBECTL = rb"\[(pod/[^\s\]]{1,600})\]" + _BLANK
_SHORT = rb"(?:" + _PRIORITY + _MONTH_TIME + rb" (?:" + _HOST + rb")?|" + _MONTH_TIME + rb" " + _HOST + rb")"
# `word word: ` behind an ISO time may be a message: without a process id only SGLang's own prefix tells.
_SHORT_ISO = rb"(?:" + _PRIORITY + rb")?" + _ISO_TIME + rb" "
_ISO_TAG = rb"(" + _HOST + rb"(?:" + _TAG_WITH_PID + rb":" + _BLANK + rb"|[^\s:\[]{1,254}: (?=\[\d)))"
_RFC5424 = _PRIORITY + rb"\d{1,2} (?:" + _ISO_TIME + rb"|-) ((?:\S{1,255} ){4})" + _STRUCTURED_DATA + _BLANK
_COMPOSE = rb"([A-Za-z\d][\w.@-]{0,254}+) ++\|" + _BLANK
_SLURM = rb" {0,5}(\d{1,6}):" + _BLANK
# A time in front of a level is a logger's own, and its format not ours to take apart.
_TIMESTAMP = _ISO_TIME + _BLANK + rb"(?! {0,2}(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL) )"

WRAPPERS = (
    Wrapper("docker json-file", "{", _docker),
    Wrapper("cri", digits, _cri),
    Wrapper("ray", "(", _ray),
    Wrapper("supervisor", digits, _supervisor),
    Wrapper("kubectl --prefix", "[", _label(_KUBECTL)),
    Wrapper("journald short, syslog", "<" + ascii_letters, _label(_SHORT + rb"(" + _TAG + rb"):" + _BLANK)),
    Wrapper("journald short-iso, syslog", "<" + digits, _label(_SHORT_ISO + _ISO_TAG)),
    Wrapper("rfc5424", "<", _label(_RFC5424)),
    Wrapper("timestamp", digits, _label(_TIMESTAMP), doubtful=True),
    Wrapper("srun --label", " " + digits, _label(_SLURM), doubtful=True),
    Wrapper("compose", digits + ascii_letters, _label(_COMPOSE), doubtful=True),
)

BY_FIRST = {
    first.encode(): tuple(wrapper for wrapper in WRAPPERS if first in wrapper.first)
    for first in "".join(wrapper.first for wrapper in WRAPPERS)
}
"""The wrappers that a line with this first byte may be in, in the order in which they are tried."""
