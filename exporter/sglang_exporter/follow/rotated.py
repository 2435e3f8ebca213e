"""The names that rotation gives: `server.log.1`, `.2.gz`, `-20250730`, `.2025-07-30_14`, `server-20250730.log`."""

import re
from typing import NamedTuple

ENDINGS = (".log", ".jsonl", ".json", ".out", ".err", ".txt")
"""How the name of a log or of an output file ends before it is rotated."""
COMPRESSED = ".gz"

_DATE = (
    r"(?P<date>20\d\d-[01]\d-[0-3]\d(?:[-_T.]?[0-2]\d(?:[-:_.]?[0-5]\d){0,2})?"
    r"|20\d\d[01]\d[0-3]\d(?:[-_T.]?\d{2,10})?"
    r"|1\d{9})"  # seconds since the epoch
)
_ENDING = "|".join(map(re.escape, ENDINGS))
_SUFFIX = re.compile(rf"(?P<base>.+?)(?:\.(?P<number>\d{{1,3}})|[-.]{_DATE})(?:\.gz)?")
_INFIX = re.compile(rf"(?P<stem>.+?)[-._]{_DATE}(?P<ending>{_ENDING})(?:\.gz)?")


class Rotated(NamedTuple):
    """A rotated file: its name before, its age (the least is the oldest), and whether the name leaves no doubt.

    `sure` is False where such a name is also given to files that never had another, as SGLang's hourly
    `sglang-request-metrics-20250730_14.log`, or `node.0`.
    """

    base: str
    age: tuple[int, int]
    sure: bool


def rotated(name: str) -> Rotated | None:
    """Return what the name of a file, without its folder, says about rotation; None for one that was not rotated."""
    if match := _SUFFIX.fullmatch(name):
        base = match["base"]
        age = (1, -int(match["number"])) if match["number"] else _age(match["date"])
        return Rotated(base, age, sure=base.endswith(ENDINGS))
    if match := _INFIX.fullmatch(name):
        return Rotated(match["stem"] + match["ending"], _age(match["date"]), sure=False)
    return None


def _age(date: str) -> tuple[int, int]:
    return 0, int(re.sub(r"\D", "", date).ljust(20, "0"))
