"""SGLang's own prefix off a line: `[2025-06-06 08:10:35.584 PP1 TP0] ` gives time and ranks."""

import re
from itertools import pairwise
from typing import NamedTuple

# The first bracket may be cut off; before 0.3.4 there is no date, before 0.2.14 no time, and `[gpu_id=0]` or `[gpu=0]`.
_STAMP = rb"(?P<time>(?:\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d(?:\.\d{3})?)(?P<ranks>(?: [A-Za-z_]+(?:\[\d+\]|\d*))*)\] ?"
_PREFIX = re.compile(rb"\[?" + _STAMP)
_PREFIX_WITHIN = re.compile(rb"\[" + _STAMP)
_NOT_QUOTED = re.compile(rb"(?<![\s'\"\\=(,])\[" + _STAMP)
_OLD_PREFIX = re.compile(rb"\[(gpu_id|gpu)=(\d+)\] |Rank (\d+): ")
_RANK = re.compile(r"([A-Za-z_]+?)\[?(\d+)\]?$")


class Envelope(NamedTuple):
    """What stands around a message; `time` as printed, `prefixed` when SGLang's own prefix with a time was there."""

    message: bytes
    time: str | None
    ranks: dict[str, int]
    prefixed: bool


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
    return Envelope(line[prefix.end() :], time, _ranks(prefix["ranks"]), prefixed=True)


_KNOWN_RANKS: dict[bytes, dict[str, int]] = {b"": {}}
_MANY_RANKS = 4096


def _ranks(tags: bytes) -> dict[str, int]:
    """Return ` DP3 TP5` as `{"dp": 3, "tp": 5}`; a server has few, so each is worked out once."""
    if (known := _KNOWN_RANKS.get(tags)) is not None:
        return known
    found = (_RANK.match(tag) for tag in tags.decode().split())
    ranks = {rank[1].lower(): int(rank[2]) for rank in found if rank}
    if len(_KNOWN_RANKS) < _MANY_RANKS:
        _KNOWN_RANKS[tags] = ranks
    return ranks
