"""`sglang-exporter once`: read the files to their end and print the page."""

import argparse

from sglang_exporter.clock import Clock
from sglang_exporter.commands.sources import add_sources, config_of
from sglang_exporter.logs import set_up_logging
from sglang_exporter.once import once


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    add_sources(parser)


def run(options: argparse.Namespace, _clock: Clock) -> int:
    """Run it and return the exit status."""
    set_up_logging("warn", "logfmt")
    return once(config_of(options))
