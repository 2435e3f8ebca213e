"""Printed values of SGLang's lines to numbers."""

import re
from collections.abc import Callable

from sglang_exporter.serverlog.events import Value

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_COUNT = re.compile(r"0|[1-9][0-9]{0,17}")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{2}")
_CHANGE = re.compile(r"((?:0|[1-9][0-9]*)\.[0-9]{4}) -> ((?:0|[1-9][0-9]*)\.[0-9]{4})")
_ESTIMATE = re.compile(r"(-?[0-9]+\.[0-9]{2}) \[(-?[0-9]+\.[0-9]{2}), (-?[0-9]+\.[0-9]{2})\]")
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]{6})?")
_FLAGS: dict[str, Value] = {"True": True, "False": False, "None": None}
_WORDS: dict[str, float] = {"nan": float("nan"), "inf": float("inf")}


Form = Callable[[str], Value]
"""What reads a printed value, and raises DamagedError on one that is printed in another way."""


class DamagedError(ValueError):
    """A value that no release prints so: a torn or overwritten line."""


def number(text: str) -> Value:
    """Return what `text` stands for: `163`, `0.39`, `12.34%`, `True`, `0.46 -> 0.64`, `2.52 [2.11, 2.93]`, `6.67 GB`.

    Raises DamagedError when it is none of these.
    """
    text = text.removesuffix("%")
    if _INTEGER.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    if text in _FLAGS:
        return _FLAGS[text]
    return _WORDS[text] if text in _WORDS else _compound(text)


def number_or_text(text: str) -> Value:
    """Return the number that `text` stands for, else the text itself."""
    try:
        return number(text)
    except DamagedError:
        return text


def count(text: str) -> int:
    """Return `163`; raises DamagedError on anything else."""
    if not _COUNT.fullmatch(text):
        raise DamagedError(text)
    return int(text)


def limit(text: str) -> int | None:
    """Return `8192`, and `-1` or `None` where there is no limit; raises DamagedError on anything else."""
    if text == "None":
        return None
    return -1 if text == "-1" else count(text)


def decimal(text: str) -> float:
    """Return `0.39`, which may be `nan`; raises DamagedError on anything else."""
    if _DECIMAL.fullmatch(text):
        return float(text)
    if text not in _WORDS:
        raise DamagedError(text)
    return _WORDS[text]


def percent(text: str) -> float:
    """Return `49.94%` as 49.94; raises DamagedError on anything else."""
    if not text.endswith("%"):
        raise DamagedError(text)
    return decimal(text[:-1])


def gigabytes(text: str) -> float:
    """Return `6.67 GB` as 6.67; raises DamagedError on anything else."""
    if not text.endswith(" GB"):
        raise DamagedError(text)
    return decimal(text[:-3])


def flag(text: str) -> Value:
    """Return `True`; raises DamagedError on anything else than a flag."""
    if text not in _FLAGS:
        raise DamagedError(text)
    return _FLAGS[text]


def estimate(text: str) -> Value:
    """Return `2.52 [2.11, 2.93]` as its middle and its bounds; raises DamagedError on anything else."""
    if not (found := _ESTIMATE.fullmatch(text)):
        raise DamagedError(text)
    return {"mid": float(found[1]), "lo": float(found[2]), "hi": float(found[3])}


def change(text: str) -> Value:
    """Return `0.4650 -> 0.7664` as old and new; raises DamagedError on anything else."""
    if not (found := _CHANGE.fullmatch(text)):
        raise DamagedError(text)
    return {"old": float(found[1]), "new": float(found[2])}


def instant(text: str) -> str:
    """Return `2025-07-10T12:34:56.789012` as it is; raises DamagedError on anything else."""
    if not _INSTANT.fullmatch(text):
        raise DamagedError(text)
    return text


def _compound(text: str) -> Value:
    if _CHANGE.fullmatch(text):
        return change(text)
    if _ESTIMATE.fullmatch(text):
        return estimate(text)
    if _INSTANT.fullmatch(text):
        return text
    amount, _, unit = text.partition(" ")
    if unit in ("GB", "GB.", "s", "s."):
        return number(amount)
    raise DamagedError(text)


FORMS: dict[str, Form] = {
    "any": number,
    "count": count,
    "limit": limit,
    "decimal": decimal,
    "percent": percent,
    "gigabytes": gigabytes,
    "flag": flag,
    "estimate": estimate,
    "change": change,
    "instant": instant,
}
"""How the values of a label are printed, by name."""
