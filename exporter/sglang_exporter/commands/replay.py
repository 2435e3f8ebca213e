"""`sglang-exporter replay`: write a recording out again, as if it happened now."""

import argparse
from pathlib import Path

from sglang_exporter.clock import Clock
from sglang_exporter.commands.values import speed
from sglang_exporter.replay import replay


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    parser.add_argument("recording", type=Path, metavar="RECORDING_DIR")
    parser.add_argument(
        "--into", type=Path, required=True, metavar="DIR", help="where server.log and raw_responses.jsonl are written"
    )
    parser.add_argument(
        "--speed",
        type=speed,
        default=1.0,
        metavar="N",
        help="deliver N times faster; printed times keep their spacing",
    )


def run(options: argparse.Namespace, clock: Clock) -> int:
    """Run it and return the exit status."""
    return replay(options.recording, options.into, options.speed, clock)
