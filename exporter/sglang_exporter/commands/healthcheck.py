"""`sglang-exporter healthcheck`: ask a running exporter whether it is well."""

import argparse

from sglang_exporter.clock import Clock
from sglang_exporter.healthcheck import DEFAULT_URL, healthcheck


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    parser.add_argument("--url", default=DEFAULT_URL)


def run(options: argparse.Namespace, _clock: Clock) -> int:
    """Run it and return the exit status."""
    return healthcheck(options.url)
