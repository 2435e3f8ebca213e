"""`sglang-exporter report`: say how a run went."""

import argparse

from sglang_exporter.clock import Clock
from sglang_exporter.commands.sources import add_sources, config_of
from sglang_exporter.commands.values import epoch, time
from sglang_exporter.logs import set_up_logging
from sglang_exporter.report.command import Choice, report
from sglang_exporter.report.history import Span


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    add_sources(parser)
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    when = "seconds since the epoch, or a time as 2026-11-29T10:00, in UTC where it names no zone"
    parser.add_argument(
        "--since", type=time, default=float("-inf"), metavar="TIME", help=f"leave out what was before; {when}"
    )
    parser.add_argument("--until", type=time, default=float("inf"), metavar="TIME", help="leave out what was after")
    parser.add_argument(
        "--epoch", type=epoch, metavar="N", help="report this run of each server only, from 1 on; -1 is the last one"
    )


def run(options: argparse.Namespace, _clock: Clock) -> int:
    """Run it and return the exit status."""
    set_up_logging("warn", "logfmt")
    return report(config_of(options), Choice(Span(options.since, options.until), options.epoch), options.format)
