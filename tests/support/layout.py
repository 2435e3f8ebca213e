"""What a layout of a line is, and what the releases of SGLang print before a message."""

from typing import NamedTuple, Self

from packaging.version import Version


class Maybe(tuple["Part", ...]):
    """Parts that are printed together or not at all."""

    __slots__ = ()

    def __new__(cls, *parts: "Part") -> Self:
        return super().__new__(cls, parts)


class OneOf(tuple["Part", ...]):
    """Alternatives, of which one is printed."""

    __slots__ = ()

    def __new__(cls, *parts: "Part") -> Self:
        return super().__new__(cls, parts)


Part = str | Maybe | OneOf | tuple["Part", ...]
"""A label, or parts in a row; the label `#token=` is `#token` with a value as in `full=1, swa=2`."""


class Layout(NamedTuple):
    """One layout of a kind of line; `releases` are the first and the last that print it, `{n}` in a head is a number."""

    name: str
    kind: str
    releases: str
    heads: tuple[str, ...]
    parts: tuple[Part, ...]
    tail: str = ""
    separator: str = ", "
    equals: str = ": "


class Prefix(NamedTuple):
    """What one era prints before a message; tags in `always` are printed even where there is one rank only."""

    releases: str
    time: str = ""
    tags: tuple[str, ...] = ()
    always: tuple[str, ...] = ()
    gpu: str = ""
    milliseconds: bool = False


_DATE = "%Y-%m-%d %H:%M:%S"

PREFIXES = (
    Prefix("0.1.3 .. 0.1.16"),
    Prefix("0.1.17 .. 0.2.5", gpu="gpu_id"),
    Prefix("0.2.9.post1 .. 0.2.13", gpu="gpu"),
    Prefix("0.2.14 .. 0.3.3.post1", "%H:%M:%S", ("DP", "TP"), always=("TP",)),
    Prefix("0.3.4 .. 0.4.6", _DATE, ("DP", "TP"), always=("TP",)),
    Prefix("0.4.6.post2 .. 0.4.9.post6", _DATE, ("DP", "TP", "PP")),
    Prefix("0.4.10 .. 0.5.5", _DATE, ("DP", "TP", "EP", "PP")),
    Prefix("0.5.5.post2 .. 0.5.5.post3", _DATE, ("DP", "PP", "TP", "EP")),
    Prefix("0.5.6 .. 0.5.8.post1", _DATE, ("DP", "PP", "TP", "EP"), milliseconds=True),
    Prefix("0.5.9 .. 0.5.23", _DATE, ("DP", "PP", "ATTN_CP", "MOE_DP", "TP", "EP"), milliseconds=True),
)


def first_and_last(releases: str) -> tuple[Version, Version]:
    """Return the ends of `0.4.6 .. 0.4.7`, or of a single release."""
    first, _, last = releases.partition(" .. ")
    return Version(first), Version(last or first)


def printed_by(releases: str, release: Version) -> bool:
    """Tell whether a release is one of `releases`."""
    first, last = first_and_last(releases)
    return first <= release <= last
