"""What flags take: each of these reads one value, and raises ArgumentTypeError with what is wrong with it."""

import argparse
from datetime import UTC, datetime

from sglang_exporter.web.address import Address, parse_address


def address(text: str) -> Address:
    """Return `:17461` or `[::1]:17461` as an address to listen on."""
    try:
        return parse_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def count(text: str) -> int:
    """Return a number of things, one at least."""
    number = int(text) if text.isdecimal() else 0
    if number <= 0:
        raise argparse.ArgumentTypeError(f"{text} is no count")
    return number


def seconds(text: str) -> float:
    """Return a span of time in seconds, which may be 0."""
    number = _number(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time in seconds")
    return number


def time(text: str) -> float:
    """Return a time in seconds since the epoch, out of a number or out of `2026-11-29T10:00`, in UTC without a zone."""
    try:
        return float(text)
    except ValueError:
        pass
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no time: want 2026-11-29T10:00, or seconds since 1970") from None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def epoch(text: str) -> int:
    """Return the number of a run: 1 is the first, -1 the last."""
    digits = text.removeprefix("-")
    if not digits.isdecimal() or not int(digits):
        raise argparse.ArgumentTypeError(f"{text} is no epoch: 1 is the first, -1 the last")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no number") from None


def speed(text: str) -> float:
    """Return a factor above 0."""
    number = _number(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no speed: 2 is twice as fast")
    return number


def average(text: str) -> float | str:
    """Return a number of tokens above 0, or `auto`."""
    number = 0 if text == "auto" else _number(text)
    if text != "auto" and not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no average: want a number of tokens, or auto")
    return number or text
