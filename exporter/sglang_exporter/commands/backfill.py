"""`sglang-exporter backfill`: print the history of a run as OpenMetrics."""

import argparse

from sglang_exporter.backfill.command import backfill
from sglang_exporter.backfill.flags import add_flags as add_flags_of_samples
from sglang_exporter.backfill.flags import target_labels
from sglang_exporter.clock import Clock
from sglang_exporter.commands.sources import add_sources, config_of
from sglang_exporter.logs import set_up_logging


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    add_sources(parser)
    add_flags_of_samples(parser)


def run(options: argparse.Namespace, _clock: Clock) -> int:
    """Run it and return the exit status."""
    set_up_logging("warn", "logfmt")
    return backfill(config_of(options), options.step, target_labels(options.labels))
