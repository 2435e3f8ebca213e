"""SGLang's own prefix off a line: `[2025-06-06 08:10:35.584 PP1 TP0] ` gives time and ranks."""

import re
from functools import lru_cache
from itertools import pairwise

import msgspec

from sglang_exporter.serverlog.ranks import NO_RANKS, Ranks, plain_ranks, read_ranks
from sglang_exporter.serverlog.stamps import possible

# The first bracket may be cut off; before 0.3.4 there is no date, before 0.2.14 no time, and `[gpu_id=0]` or `[gpu=0]`.
_TIME = rb"(?P<time>(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:\.\d{3})?)"
_STAMP = _TIME + rb"(?P<ranks>(?: [A-Za-z_]{1,32}(?:\[\d{1,6}\]|\d{0,6})){0,9})\](?: |\Z)"
_PREFIX = re.compile(rb"\[?" + _STAMP)
_DATED = re.compile(rb"\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{3})?")
_LONGEST = 400
_SECONDS_END = len("[2025-07-30 10:15:02")
_PREFIX_WITHIN = re.compile(rb"\[" + _STAMP)
_NOT_QUOTED = re.compile(rb"(?<![\s'\"\\=(,])\[" + _STAMP)
_OLD_PREFIX = re.compile(rb"\[(gpu_id|gpu)=(\d{1,6})\] |Rank \d{1,6}: ")


class Envelope(msgspec.Struct, frozen=True):
    """What stands around a message; `time` as printed, `prefixed` when SGLang's own prefix with a time was there.

    `odd` are the tags of ranks that no known release prints together. Where the prefix shows a time that no clock can
    show, it is `damaged`, and the message is the whole line.
    """

    message: bytes
    time: str | None
    ranks: Ranks
    prefixed: bool
    odd: tuple[str, ...] = ()
    damaged: bool = False


def open_envelope(line: bytes) -> Envelope:
    """Return the message of `line` and what its prefix says."""
    bracket, _, message = line.partition(b"] ")
    if message and len(bracket) < _LONGEST and (plain := read_prefix(bracket)):
        return Envelope(message, plain[0], plain[1], prefixed=True)
    if prefix := _PREFIX.match(line):
        return _stamped(prefix, line)
    if old := _OLD_PREFIX.match(line):
        ranks = Ranks({old[1].decode(): int(old[2])}) if old[1] else NO_RANKS
        return Envelope(line[old.end() :], None, ranks, prefixed=False)
    return Envelope(line, None, NO_RANKS, prefixed=False)


@lru_cache(maxsize=1024)
def read_prefix(text: bytes) -> tuple[str, Ranks] | None:
    """Return time and ranks of `[2025-07-30 10:15:02 TP0`, which many lines share; None if it needs a closer look."""
    end = _SECONDS_END + len(".000") if text.startswith(b".", _SECONDS_END) else _SECONDS_END
    time, ranks = _time(text[:end]), plain_ranks(text[end:])
    return None if time is None or ranks is None else (time, ranks)


@lru_cache(maxsize=1024)
def _time(text: bytes) -> str | None:
    """Return `[2025-07-30 10:15:02` as an event has it, None where it is not like that."""
    time = text[1:].decode(errors="replace").replace(" ", "T")
    return time if _DATED.fullmatch(text) and possible(time) else None


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
        return Envelope(line, None, NO_RANKS, prefixed=False, damaged=True)
    ranks = read_ranks(prefix["ranks"])
    return Envelope(line[prefix.end() :], time, ranks, prefixed=True, odd=ranks.odd)
