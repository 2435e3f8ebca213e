"""Printed values of SGLang's lines to numbers."""

import re

from sglang_exporter.serverlog.events import Value

_INTEGER = re.compile(r"-?[0-9]+")
_DECIMAL = re.compile(r"-?[0-9]+\.(?:[0-9]{2}|[0-9]{4})")  # SGLang prints two decimals, of ratios in retractions four
_CHANGE = re.compile(r"([0-9]+\.[0-9]+) -> ([0-9]+\.[0-9]+)")
_ESTIMATE = re.compile(r"(-?\d+\.\d+) \[(-?\d+\.\d+), (-?\d+\.\d+)\]")
_INSTANT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+")
_WORDS: dict[str, Value] = {"True": True, "False": False, "None": None, "nan": float("nan"), "inf": float("inf")}


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
    if text in _WORDS:
        return _WORDS[text]
    return _compound(text)


def _compound(text: str) -> Value:
    if change := _CHANGE.fullmatch(text):
        return {"old": float(change[1]), "new": float(change[2])}
    if estimate := _ESTIMATE.fullmatch(text):
        return {"mid": float(estimate[1]), "lo": float(estimate[2]), "hi": float(estimate[3])}
    if _INSTANT.fullmatch(text):
        return text
    amount, _, unit = text.partition(" ")
    if unit in ("GB", "GB.", "s", "s."):
        return number(amount)
    raise DamagedError(text)


def number_or_text(text: str) -> Value:
    """Return the number that `text` stands for, else the text itself."""
    try:
        return number(text)
    except DamagedError:
        return text
