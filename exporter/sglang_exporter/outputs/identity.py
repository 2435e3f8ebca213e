"""Whose record it is: an id that can be compared and not be read, and the model."""

from collections.abc import Iterable

from sglang_exporter.outputs.paths import Path

_KEY_MASK = (1 << 60) - 1
"""An int of 60 bits takes 32 bytes in CPython, one of 64 takes 48. Two of a million meet with a chance of 4e-7."""


def find_key(record: object, paths: Iterable[Path], scope: str) -> int | None:
    """Return a hash of the record's explicit id (0 is one) within a scope, None where it has none."""
    identity = find_name(record, paths)
    return None if identity is None else key_of(identity, scope)


def key_of(identity: str, scope: str) -> int:
    """Return a hash of an id within a scope.

    Python's own hash is quick and keyed by a secret of this process: a key says nothing of its id, nor outlives us.
    """
    return hash((scope, identity)) & _KEY_MASK


def find_name(record: object, paths: Iterable[Path]) -> str | None:
    """Return the first string or number that is there, as a string."""
    for path in paths:
        value = path.get(record)
        if type(value) is str:
            if value:
                return value
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            return str(value)
    return None
