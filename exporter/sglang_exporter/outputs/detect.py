"""Which preset a file is of, by the vote of its first records."""

from collections import Counter
from functools import cache

from sglang_exporter.outputs.conditions import Condition, compile_condition, holds
from sglang_exporter.outputs.mapping import compile_records, records_in
from sglang_exporter.outputs.paths import Path
from sglang_exporter.outputs.presets import GENERIC, preset, schemes

ENOUGH = 20
_MOST = 256
_TELL_FAILURES = (GENERIC, "openai-wrapped")
"""Presets that know the failures of most writers."""


class Votes:
    """The vote of the first records of one file.

    A preset stands for a file when its conditions hold for half of the records that vote, the first in the order of
    the presets. Records of failed requests look alike in all formats: they vote only while there are no others.
    """

    def __init__(self) -> None:
        self._good: Counter[str] = Counter()
        self._failed: Counter[str] = Counter()

    @property
    def decided(self) -> bool:
        """Tell whether enough records have voted."""
        return self._good[GENERIC] >= ENOUGH or self._failed[GENERIC] >= _MOST

    def add(self, value: object) -> None:
        """Let the records in a JSON value vote."""
        if self.decided:
            return
        failed = isinstance(value, dict) and any(preset(name).fails(value) for name in _TELL_FAILURES)
        (self._failed if failed else self._good).update(_matching(value))

    @property
    def choice(self) -> str:
        """Return the preset that stands for the file now."""
        votes = self._good or self._failed
        return next((name for name in schemes() if 2 * votes[name] >= votes[GENERIC] > 0), GENERIC)


def _matching(value: object) -> list[str]:
    return [name for name in schemes() if any(_fits(name, record) for record in records_in(value, _places(name))[:1])]


def _fits(name: str, record: object) -> bool:
    return all(holds(record, conditions) for conditions in _detection(name))


@cache
def _places(name: str) -> list[Path]:
    """Return where the records of a preset are; the rest of it is compiled when a file is read by it."""
    return compile_records(schemes()[name])


@cache
def _detection(name: str) -> list[list[Condition]]:
    return [compile_condition(text) for text in schemes()[name].detect]
