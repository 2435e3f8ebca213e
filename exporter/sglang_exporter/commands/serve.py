"""`sglang-exporter serve`: follow the files and answer /metrics."""

import argparse
import os
from pathlib import Path

from sglang_exporter.clock import Clock
from sglang_exporter.commands.sources import add_sources, config_of
from sglang_exporter.commands.values import address
from sglang_exporter.logs import FORMATS, LEVELS, set_up_logging
from sglang_exporter.serve import Settings, serve
from sglang_exporter.web.address import DEFAULT_ADDRESS, parse_address


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add its flags."""
    add_sources(parser)
    parser.add_argument(
        "--web.listen-address",
        dest="addresses",
        action="append",
        type=address,
        metavar="ADDRESS",
        help=f"address to answer on, as :17461 or [::1]:17461; repeatable (default {DEFAULT_ADDRESS}, all interfaces)",
    )
    parser.add_argument(
        "--web.config.file",
        dest="web_config",
        type=Path,
        metavar="FILE",
        help="TLS, passwords and headers, in the form of Prometheus' exporter-toolkit; read again when it changes",
    )
    parser.add_argument(
        "--checkpoint",
        default=_state_folder(),
        metavar="DIR",
        help="folder to keep state and positions in across a restart, or `none` (default %(default)s)",
    )
    parser.add_argument("--log.level", dest="level", choices=LEVELS, default="info")
    parser.add_argument("--log.format", dest="log_format", choices=FORMATS, default="logfmt")


def run(options: argparse.Namespace, clock: Clock) -> int:
    """Run it and return the exit status."""
    set_up_logging(options.level, options.log_format)
    settings = Settings(
        load=lambda: config_of(options),
        config_file=options.config_file,
        addresses=options.addresses or [parse_address(DEFAULT_ADDRESS)],
        web_config=options.web_config,
        checkpoint=None if options.checkpoint == "none" else Path(options.checkpoint),
    )
    return serve(settings, clock)


def _state_folder() -> str:
    """Return where state is kept: systemd's or the container's STATE_DIRECTORY, else the user's own."""
    if given := os.environ.get("STATE_DIRECTORY"):
        return given.partition(":")[0]
    return str(Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "sglang-exporter")
