"""`sglang-exporter healthcheck`: ask a running exporter whether it is well."""

import argparse

from sglang_exporter.clock import Clock
from sglang_exporter.commands.values import address
from sglang_exporter.healthcheck import healthcheck
from sglang_exporter.web.address import DEFAULT_ADDRESS, parse_address


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    parser.add_argument(
        "--web.listen-address",
        dest="address",
        type=address,
        default=parse_address(DEFAULT_ADDRESS),
        metavar="ADDRESS",
        help="an address that `serve` was given, of which the port matters (default %(default)s)",
    )


def run(options: argparse.Namespace, _clock: Clock) -> int:
    """Run it and return the exit status."""
    return healthcheck(options.address)
