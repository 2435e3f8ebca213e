"""The steps that a path is written in, and their notation."""

import re
from typing import NamedTuple


class SchemeError(ValueError):
    """A mapping that cannot be compiled; the message says which part of it."""


class Key(NamedTuple):
    """`name`: one key of an object."""

    name: str


class Prefix(NamedTuple):
    """`start*`: every key of an object that begins so."""

    start: str


class Index(NamedTuple):
    """`[0]`, `[-1]`: one item of a list."""

    at: int


class Items(NamedTuple):
    """`[]`: every item of a list; `[key]`: those that have a key; `[key=x|y]`: those in which it is one of these."""

    key: str | None = None
    values: tuple[str, ...] = ()


Step = Key | Prefix | Index | Items

_TOKEN = re.compile(r"(?P<key>[^.\[\]*]+)(?P<star>\*)?|(?P<all>\*)|\[(?P<inner>[^\[\]]*)\]")
_INDEX = re.compile(r"-?\d+")


def parse(text: str) -> tuple[Step, ...]:
    """Return the steps of a path; SchemeError when it is none."""
    steps: list[Step] = []
    at = 0
    while token := _TOKEN.match(text, at):
        steps.append(_step(token))
        at = token.end()
        if at == len(text):
            return tuple(steps)
        if text[at] == "." and text[at + 1 : at + 2] not in ("", ".", "["):
            at += 1
        elif text[at] != "[":
            break
    raise SchemeError(f"not a path: {text!r}")


def is_many(steps: tuple[Step, ...]) -> bool:
    """Tell whether a path leads to several places of a record."""
    return any(isinstance(step, (Items, Prefix)) for step in steps)


def _step(token: re.Match[str]) -> Step:
    if token["all"]:
        return Prefix("")
    if token["key"]:
        return Prefix(token["key"]) if token["star"] else Key(token["key"])
    inner = token["inner"]
    if _INDEX.fullmatch(inner):
        return Index(int(inner))
    key, _, values = inner.partition("=")
    return Items(key or None, tuple(values.split("|")) if values else ())
