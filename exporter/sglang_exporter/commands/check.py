"""`sglang-exporter check`: say which files match, what is understood and what is missing."""

import argparse

from sglang_exporter.check import check
from sglang_exporter.clock import Clock
from sglang_exporter.commands.sources import add_sources, config_of
from sglang_exporter.logs import set_up_logging


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    add_sources(parser)


def run(options: argparse.Namespace, _clock: Clock) -> int:
    """Run it and return the exit status."""
    set_up_logging("warn", "logfmt")
    return check(config_of(options))
