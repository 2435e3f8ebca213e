"""The command line: the command that is asked for, and no other, is loaded and run."""

import argparse
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from sglang_exporter import __version__
from sglang_exporter.clock import Clock, SystemClock
from sglang_exporter.config_file import ConfigError

COMMANDS = {
    "serve": "follow the files and answer /metrics (the default)",
    "once": "read the files to their end, print the page, exit",
    "report": "say how a run went, where it is limited, and what to try next",
    "backfill": "print the history of a run as OpenMetrics with its own times",
    "check": "say which files match, what is understood and what is missing",
    "explain": "say how each line of a log, or record of an output file, is understood",
    "replay": "write a recording out again, as if it happened now",
    "assets": "write out the dashboards, rules, runbooks and presets that come with it",
    "healthcheck": "ask a running exporter whether it is well",
}
"""What each command does; its flags stand in the module of its name in `commands`."""
_EPILOG = """\
examples:
  sglang-exporter --log server.log --outputs raw_responses.jsonl --total 5000
  sglang-exporter once --log server.log --stale-after 0
  sglang-exporter report --log server.log --outputs raw_responses.jsonl --total 88000
  sglang-exporter explain server.log
`sglang-exporter COMMAND --help` lists the flags of a command; without a command it is serve.
"""
USAGE_ERROR = 2


def main(argv: Sequence[str] | None = None, clock: Clock | None = None) -> int:
    """Run a command and return its exit status: 0 clean stop, 1 failure, 2 bad usage or configuration."""
    options = _load() if argv is None else parse(argv)
    try:
        return int(options.run(options, clock or SystemClock()))
    except ConfigError as error:
        print(f"sglang-exporter: {error}", file=sys.stderr)  # noqa: T201 -- a message to the user
        return USAGE_ERROR
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _load() -> argparse.Namespace:
    """Return the options of this process; what is loaded for them stays to its end, and is never looked at as garbage.

    To look for some in it took a sixth of the time of a short command.
    """
    gc.disable()
    options = parse(sys.argv[1:])
    gc.freeze()
    gc.enable()
    return options


def parse(argv: Sequence[str]) -> argparse.Namespace:
    """Return the options of a command line; one that names no command is for `serve`."""
    arguments = list(argv)
    if not arguments or arguments[0] not in (*COMMANDS, "-h", "--help", "--version"):
        arguments.insert(0, "serve")
    whole, own = _parsers(arguments[0])
    options, unknown = whole.parse_known_args(arguments)
    if unknown:  # the whole would print its own usage, which has none of the command's flags
        own.error(f"unrecognized arguments: {' '.join(unknown)}")
    return options


def _parsers(command: str) -> tuple[argparse.ArgumentParser, argparse.ArgumentParser]:
    """Return the parser of the command line, with the flags of one command, and that of this command itself.

    To load all commands would take too long.
    """
    whole = argparse.ArgumentParser(
        prog="sglang-exporter",
        description="Watch SGLang through the files it already writes and tell Prometheus.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    whole.add_argument(
        "--version", action="version", version=f"sglang-exporter {__version__}, Python {sys.version.split()[0]}"
    )
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    parsers = {name: commands.add_parser(name, help=does) for name, does in COMMANDS.items()}
    if own := parsers.get(command):
        module = import_module(f"sglang_exporter.commands.{command}")
        module.add_flags(own)
        own.set_defaults(run=module.run)
    return whole, own or whole
