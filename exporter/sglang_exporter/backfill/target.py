"""The labels that Prometheus adds to what it scrapes: of a backfill they are made up."""

import argparse
import re
from collections.abc import Iterable

from sglang_exporter.metrics.catalogue import CATALOGUE

_DEFAULT = {"job": "sglang-exporter", "instance": "backfill"}
_LABEL = re.compile(r"([a-zA-Z_][a-zA-Z0-9_]*)=(.*)", re.DOTALL)
_OURS = frozenset(label for row in CATALOGUE for label in row.labels) | {"le"}


def parse_label(text: str) -> tuple[str, str]:
    """Return name and value of `NAME=VALUE`; raises ArgumentTypeError where it is no label of a target."""
    found = _LABEL.fullmatch(text)
    if not found or found[1].startswith("__"):
        raise argparse.ArgumentTypeError(f"{text} is no label: want NAME=VALUE")
    if found[1] in _OURS:
        raise argparse.ArgumentTypeError(f"{found[1]} is a label of the metrics themselves")
    return found[1], found[2]


def target_labels(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the labels of the target: job and instance, and those that are given; an empty one is none."""
    return {name: value for name, value in {**_DEFAULT, **dict(given)}.items() if value}
