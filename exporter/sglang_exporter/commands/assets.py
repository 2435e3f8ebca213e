"""`sglang-exporter assets`: write out what comes with the exporter for others to use."""

import argparse
from pathlib import Path

from sglang_exporter.assets import assets
from sglang_exporter.clock import Clock


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    parser.add_argument("--into", type=Path, required=True, metavar="DIR", help="where they are written")


def run(options: argparse.Namespace, _clock: Clock) -> int:
    """Run it and return the exit status."""
    return assets(options.into)
