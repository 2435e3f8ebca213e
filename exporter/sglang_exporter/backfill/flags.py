"""The flags of `backfill`: how far samples lie apart, and the labels that Prometheus would have added to them."""

import argparse
import re
from collections.abc import Iterable

from sglang_exporter.metrics.catalogue import CATALOGUE

_LONGEST_STEP = 3600.0
_DEFAULT = {"job": "sglang-exporter", "instance": "backfill"}
_LABEL = re.compile(r"([a-zA-Z_][a-zA-Z0-9_]*)=(.*)", re.DOTALL)
_OURS = frozenset(label for row in CATALOGUE for label in row.labels) | {"le"}


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add `--step` and `--label`."""
    parser.add_argument(
        "--step", type=_step, default=15.0, metavar="SECONDS", help="seconds between samples (default %(default)g)"
    )
    parser.add_argument(
        "--label",
        dest="labels",
        type=_label,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="label to add as a scrape would; repeatable, empty takes it away "
        f"(default {', '.join(f'{name}={value}' for name, value in _DEFAULT.items())})",
    )


def target_labels(given: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return the labels of the target: job and instance, and those that are given; an empty one is none."""
    return {name: value for name, value in {**_DEFAULT, **dict(given)}.items() if value}


def _step(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if not 1 <= seconds <= _LONGEST_STEP:
        raise argparse.ArgumentTypeError(f"{text} is no step: want 1 to {_LONGEST_STEP:g} seconds")
    return seconds


def _label(text: str) -> tuple[str, str]:
    found = _LABEL.fullmatch(text)
    if not found or found[1].startswith("__"):
        raise argparse.ArgumentTypeError(f"{text} is no label: want NAME=VALUE")
    if found[1] in _OURS:
        raise argparse.ArgumentTypeError(f"{found[1]} is a label of the metrics themselves")
    return found[1], found[2]
