"""The wrappers: what container runtimes, journals, schedulers and Ray put around a line of SGLang's.

To add a wrapper, add a row to `WRAPPERS`.
"""

import re
from collections.abc import Callable
from string import ascii_letters, digits
from typing import NamedTuple

from sglang_exporter.serverlog.containers import cri, docker
from sglang_exporter.serverlog.opened import BLANK, ISO_TIME, Opened
from sglang_exporter.serverlog.ray import ray

Opener = Callable[[bytes], Opened | None]


class Wrapper(NamedTuple):
    """One wrapper: lines in it begin with one of the bytes `first`, and `open` gives None for any other line.

    A `doubtful` one looks like the beginning of a text, such as `1: ` or `Name | `.
    """

    name: str
    first: str
    open: Opener
    doubtful: bool = False


_SUPERVISOR = re.compile(
    rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (?:DEBG|TRAC|BLAT) '[^']{1,254}' std(?:out|err) output:\s*\Z"
)


def _supervisor(text: bytes) -> Opened | None:
    """Open `2025-07-30 12:00:00,123 DEBG 'sglang' stdout output:`: what was printed follows on lines of its own."""
    return Opened(None) if _SUPERVISOR.match(text) else None


def _label(pattern: bytes) -> Opener:
    """Return what opens lines behind `pattern`, of which the group is the source."""
    label = re.compile(pattern + BLANK)

    def opened(text: bytes) -> Opened | None:
        found = label.match(text)
        return Opened(text[found.end() :], b"".join(found.groups())) if found else None

    return opened


_MONTH_TIME = rb"[^\s\d:<(\[{]{3,12} [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?"
_PRIORITY = rb"<\d{1,3}>"
_HOST = rb"[\w.:%-]{0,254}[\w.%-]"
_TAG, _TAG_WITH_PID = rb"[\w./@-]{1,254}", rb"[^\s\[]{1,254}\[\d+\]"
_DATA = rb'(?:-|(?:\[[^\s\]="]++(?: [^\s\]="]++="[^"\\]*+(?:\\.[^"\\]*+)*+")*+\])++)'

_SHORT = rb"(?:%b%b (?:%b )?|%b %b )" % (_PRIORITY, _MONTH_TIME, _HOST, _MONTH_TIME, _HOST)
_SHORT += rb"(%b|%b):" % (_TAG_WITH_PID, _TAG)
# Two words and a colon may be a message: without a process id only SGLang's own prefix behind them tells.
_SHORT_ISO = rb"(?:%b)?%b (%b (?:%b:|%b:(?= \[\d)))" % (_PRIORITY, ISO_TIME, _HOST, _TAG_WITH_PID, _TAG)
_RFC5424 = rb"%b\d{1,2} (?:%b|-) ((?:\S{1,255} ){4})%b" % (_PRIORITY, ISO_TIME, _DATA)
# A time in front of a level is a logger's own.
_TIMESTAMP = ISO_TIME + rb"(?!  ?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL) )"

WRAPPERS = (
    Wrapper("docker json-file", "{", docker),
    Wrapper("cri", digits, cri),
    Wrapper("ray", "(", ray),
    Wrapper("supervisor", digits, _supervisor),
    Wrapper("kubectl --prefix", "[", _label(rb"\[(pod/[^\s\]]{1,600})\]")),
    Wrapper("journald short, syslog", "<" + ascii_letters, _label(_SHORT)),
    Wrapper("journald short-iso, syslog", "<" + digits, _label(_SHORT_ISO)),
    Wrapper("rfc5424", "<", _label(_RFC5424)),
    Wrapper("kubectl --timestamps", digits, _label(_TIMESTAMP), doubtful=True),
    Wrapper("srun --label", " " + digits, _label(rb" {0,5}(\d{1,6}):"), doubtful=True),
    Wrapper("compose", digits + ascii_letters, _label(rb"([A-Za-z\d][\w.@-]{0,254}+) ++\|"), doubtful=True),
)

BY_FIRST = {
    first.encode(): tuple(wrapper for wrapper in WRAPPERS if first in wrapper.first)
    for first in "".join(wrapper.first for wrapper in WRAPPERS)
}
"""The wrappers that a line with this first byte may be in, in the order in which they are tried."""
