"""The tags of SGLang's prefix that say which rank printed a line."""

import re
from collections.abc import Mapping
from functools import cached_property, lru_cache
from string import digits

from sglang_exporter.serverlog.grammar import RANKS
from sglang_exporter.serverlog.vocabulary import Vocabulary

_TAG = re.compile(r"([A-Za-z_]+)(?:\[?(0|[1-9][0-9]*)\]?)?")
_TAGS = Vocabulary(RANKS)
_PLAIN = re.compile(rb"(?: [A-Z_]{1,32}(?:0|[1-9][0-9]{0,5})){0,9}")


# Ranks that repeat what the lowest of them says; the data-parallel rank is a scheduler of its own.
_SPEAKERS = ("pp", "attn_cp", "moe_dp", "tp", "ep")


class Ranks(dict[str, int]):
    """Numbers by tag in lower case; `odd` are the tags where no known release prints them so.

    A server has few that are never changed, so that what is asked for at each line is worked out once: `dp` is the
    data-parallel rank as a label value, empty where there is none; `within` are the numbers within a data-parallel
    rank, 0 where a tag is not there: who has the lowest ones speaks.
    """

    odd: tuple[str, ...] = ()

    def __init__(self, numbers: Mapping[str, int]) -> None:
        super().__init__(numbers)
        self.dp = str(self["dp"]) if "dp" in self else ""
        self.within = tuple([self.get(tag, 0) for tag in _SPEAKERS])

    @cached_property
    def word(self) -> str:
        """All of them as one word, empty where there is none."""
        return " ".join(f"{name}{rank}" for name, rank in self.items())


NO_RANKS = Ranks({})


@lru_cache(maxsize=4096)
def read_ranks(tags: bytes) -> Ranks:
    """Return ` DP3 TP5` as `{"dp": 3, "tp": 5}`."""
    split = tags.decode().split()
    found = [(tag[1], tag[2]) for tag in map(_TAG.fullmatch, split) if tag]
    ranks = Ranks({name.lower(): int(number) for name, number in found if number})
    names = [name for name, _ in found]
    odd = len(set(names)) < len(split) or "DP" in names[1:] or any(_is_odd(*tag) for tag in found)
    ranks.odd = tuple(tag.rstrip(digits) for tag in split) if odd else ()
    return ranks


@lru_cache(maxsize=4096)
def plain_ranks(tags: bytes) -> Ranks | None:
    """Return ` DP3 TP5` as `{"dp": 3, "tp": 5}`; None where tags are not printed like that, or odd."""
    ranks = read_ranks(tags) if _PLAIN.fullmatch(tags) else None
    return None if ranks is None or ranks.odd else ranks


def _is_odd(name: str, number: str | None) -> bool:
    if name in RANKS:
        return number is None
    return name.startswith("DP") or _TAGS.is_broken(name)
