"""`sglang-exporter explain`: say how each line of a file is understood."""

import argparse
from pathlib import Path

from sglang_exporter.clock import Clock
from sglang_exporter.explain import explain


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--format", choices=("text", "jsonl"), default="text")


def run(options: argparse.Namespace, _clock: Clock) -> int:
    """Run it and return the exit status."""
    return explain(options.file, options.format)
