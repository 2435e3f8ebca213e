"""The tags of SGLang's prefix that say which rank printed a line."""

import re
from functools import lru_cache
from string import digits
from typing import NamedTuple

from sglang_exporter.serverlog.grammar import RANKS
from sglang_exporter.serverlog.vocabulary import Vocabulary

_TAG = re.compile(r"([A-Za-z_]+)(?:\[?(0|[1-9][0-9]*)\]?)?")
_TAGS = Vocabulary(RANKS)


class Ranks(NamedTuple):
    """Numbers by tag in lower case; `odd` are the tags where no known release prints them so."""

    numbers: dict[str, int]
    odd: tuple[str, ...] = ()


@lru_cache(maxsize=4096)
def read_ranks(tags: bytes) -> Ranks:
    """Return ` DP3 TP5` as `{"dp": 3, "tp": 5}`; a server has few, so each is worked out once."""
    split = tags.decode().split()
    found = [(tag[1], tag[2]) for tag in map(_TAG.fullmatch, split) if tag]
    numbers = {name.lower(): int(number) for name, number in found if number}
    names = [name for name, _ in found]
    odd = len(set(names)) < len(split) or "DP" in names[1:] or any(_is_odd(*tag) for tag in found)
    return Ranks(numbers, tuple(tag.rstrip(digits) for tag in split) if odd else ())


def _is_odd(name: str, number: str | None) -> bool:
    if name in RANKS:
        return number is None
    return name.startswith("DP") or _TAGS.is_broken(name)
