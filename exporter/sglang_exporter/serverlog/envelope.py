"""SGLang's own prefix off a line: `[2025-06-06 08:10:35.584 PP1 TP0] ` gives time and ranks."""

import re
from itertools import pairwise
from typing import NamedTuple

from sglang_exporter.serverlog.ranks import read_ranks
from sglang_exporter.serverlog.stamps import possible

# The first bracket may be cut off; before 0.3.4 there is no date, before 0.2.14 no time, and `[gpu_id=0]` or `[gpu=0]`.
_TIME = rb"(?P<time>(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:\.\d{3})?)"
_STAMP = _TIME + rb"(?P<ranks>(?: [A-Za-z_]{1,32}(?:\[\d{1,6}\]|\d{0,6})){0,9})\](?: |\Z)"
_PREFIX = re.compile(rb"\[?" + _STAMP)
_PREFIX_WITHIN = re.compile(rb"\[" + _STAMP)
_NOT_QUOTED = re.compile(rb"(?<![\s'\"\\=(,])\[" + _STAMP)
_OLD_PREFIX = re.compile(rb"\[(gpu_id|gpu)=(\d{1,6})\] |Rank \d{1,6}: ")


class Envelope(NamedTuple):
    """What stands around a message; `time` as printed, `prefixed` when SGLang's own prefix with a time was there.

    `odd` are the tags of ranks that no known release prints together. Where the prefix shows a time that no clock can
    show, it is `damaged`, and the message is the whole line.
    """

    message: bytes
    time: str | None
    ranks: dict[str, int]
    prefixed: bool
    odd: tuple[str, ...] = ()
    damaged: bool = False


def open_envelope(line: bytes) -> Envelope:
    """Return the message of `line` and what its prefix says."""
    if prefix := _PREFIX.match(line):
        return _stamped(prefix, line)
    if old := _OLD_PREFIX.match(line):
        ranks = {old[1].decode(): int(old[2])} if old[1] else {}
        return Envelope(line[old.end() :], None, ranks, prefixed=False)
    return Envelope(line, None, {}, prefixed=False)


def split_glued(line: bytes, *, may_quote: bool) -> list[bytes]:
    """Return `line` cut before each prefix that was glued to other text: a progress bar, or a torn line.

    In text that `may_quote`, a prefix behind a blank or a quotation mark is a quotation.
    """
    prefix = _NOT_QUOTED if may_quote else _PREFIX_WITHIN
    starts = [0, *(found.start() for found in prefix.finditer(line, 1)), len(line)]
    return [line[start:end] for start, end in pairwise(starts)]


def _stamped(prefix: re.Match[bytes], line: bytes) -> Envelope:
    time = prefix["time"].decode().replace(" ", "T")
    if not possible(time):
        return Envelope(line, None, {}, prefixed=False, damaged=True)
    ranks = read_ranks(prefix["ranks"])
    return Envelope(line[prefix.end() :], time, ranks.numbers, prefixed=True, odd=ranks.odd)
