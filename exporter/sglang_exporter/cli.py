"""Commands and flags, brought to a configuration and handed on."""

import argparse
import os
import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from msgspec.structs import replace

from sglang_exporter import __version__
from sglang_exporter.backfill.command import backfill
from sglang_exporter.backfill.flags import add_flags, target_labels
from sglang_exporter.check import check
from sglang_exporter.clock import Clock, SystemClock
from sglang_exporter.config import Config, Globs, JobConfig, ServerConfig, TokensConfig
from sglang_exporter.config_file import ConfigError, load_config
from sglang_exporter.explain import explain
from sglang_exporter.healthcheck import DEFAULT_URL, healthcheck
from sglang_exporter.logs import FORMATS, LEVELS, set_up_logging
from sglang_exporter.once import once
from sglang_exporter.replay import replay
from sglang_exporter.report.command import Choice, report
from sglang_exporter.report.history import Span
from sglang_exporter.serve import Settings, serve
from sglang_exporter.web.address import DEFAULT_ADDRESS, Address, parse_address

_COMMANDS = ("serve", "once", "report", "backfill", "check", "explain", "replay", "healthcheck")
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
    arguments = list(sys.argv[1:] if argv is None else argv)
    if not arguments or (arguments[0] not in _COMMANDS and arguments[0] not in ("-h", "--help", "--version")):
        arguments.insert(0, "serve")
    options = parser().parse_args(arguments)
    try:
        return int(options.run(options, clock or SystemClock()))
    except ConfigError as error:
        print(f"sglang-exporter: {error}", file=sys.stderr)  # noqa: T201 -- a message to the user
        return USAGE_ERROR
    except BrokenPipeError:  # the reader, as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def parser() -> argparse.ArgumentParser:
    """Return the parser of the whole command line."""
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
    _add_serve(commands.add_parser("serve", help="follow the files and answer /metrics (the default)"))
    _add_once(commands.add_parser("once", help="read the files to their end, print the page, exit"))
    _add_backfill(commands.add_parser("backfill", help="print the history of a run as OpenMetrics with its own times"))
    _add_report(commands.add_parser("report", help="say how a run went, where it is limited, and what to try next"))
    _add_check(commands.add_parser("check", help="say which files match, what is understood and what is missing"))
    _add_explain(
        commands.add_parser("explain", help="say how each line of a log, or record of an output file, is understood")
    )
    _add_replay(commands.add_parser("replay", help="write a recording out again, as if it happened now"))
    _add_healthcheck(commands.add_parser("healthcheck", help="ask a running exporter whether it is well"))
    return whole


def _add_serve(parser: argparse.ArgumentParser) -> None:
    _add_sources(parser)
    parser.add_argument(
        "--web.listen-address",
        dest="addresses",
        action="append",
        type=_address,
        metavar="ADDRESS",
        help=f"address to answer on, as :17461 or [::1]:17461; repeatable (default {DEFAULT_ADDRESS}, all interfaces)",
    )
    parser.add_argument(
        "--checkpoint",
        default=_state_folder(),
        metavar="DIR",
        help="folder to keep state and positions in across a restart, or `none` (default %(default)s)",
    )
    parser.add_argument("--log.level", dest="level", choices=LEVELS, default="info")
    parser.add_argument("--log.format", dest="log_format", choices=FORMATS, default="logfmt")
    parser.set_defaults(run=_serve)


def _add_once(parser: argparse.ArgumentParser) -> None:
    _add_sources(parser)
    parser.set_defaults(run=_once)


def _add_backfill(parser: argparse.ArgumentParser) -> None:
    _add_sources(parser)
    add_flags(parser)
    parser.set_defaults(run=_backfill)


def _add_report(parser: argparse.ArgumentParser) -> None:
    _add_sources(parser)
    parser.add_argument("--format", choices=("text", "markdown", "json"), default="text")
    when = "seconds since the epoch, or a time as 2026-11-29T10:00, in UTC where it names no zone"
    parser.add_argument(
        "--since", type=_time, default=float("-inf"), metavar="TIME", help=f"leave out what was before; {when}"
    )
    parser.add_argument("--until", type=_time, default=float("inf"), metavar="TIME", help="leave out what was after")
    parser.add_argument(
        "--epoch", type=_epoch, metavar="N", help="report this run of each server only, from 1 on; -1 is the last one"
    )
    parser.set_defaults(run=_report)


def _add_check(parser: argparse.ArgumentParser) -> None:
    _add_sources(parser)
    parser.set_defaults(run=lambda options, _clock: check(_config(options)))


def _add_sources(parser: argparse.ArgumentParser) -> None:
    sources = parser.add_argument_group("sources")
    sources.add_argument(
        "--log",
        nargs="+",
        action="extend",
        default=[],
        metavar="GLOB",
        help="server logs; {server} in a glob matches like * and names the server; - is standard input",
    )
    sources.add_argument(
        "--outputs",
        nargs="+",
        action="extend",
        default=[],
        metavar="GLOB",
        help="output files (JSONL), one data set each; {dataset} in a glob matches like * and names the data set",
    )
    sources.add_argument("--total", type=_count, metavar="N", help="records that each data set has when it is done")
    sources.add_argument(
        "--average-tokens",
        type=_average,
        metavar="N",
        help="tokens that a completion without a count is taken for, or `auto`: the mean of those that have one",
    )
    sources.add_argument(
        "--config.file", dest="config_file", type=Path, metavar="FILE", help="YAML configuration; flags add to it"
    )
    sources.add_argument(
        "--stale-after",
        type=_seconds,
        metavar="SECONDS",
        help="drop a silent scheduler's gauges after this time; 0 keeps them (default: its own rhythm, 30 s at least)",
    )


def _add_explain(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE")
    parser.add_argument("--format", choices=("text", "jsonl"), default="text")
    parser.set_defaults(run=lambda options, _clock: explain(options.file, options.format))


def _add_replay(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("recording", type=Path, metavar="RECORDING_DIR")
    parser.add_argument(
        "--into", type=Path, required=True, metavar="DIR", help="where server.log and raw_responses.jsonl are written"
    )
    parser.add_argument(
        "--speed",
        type=_speed,
        default=1.0,
        metavar="N",
        help="deliver N times faster; printed times keep their spacing",
    )
    parser.set_defaults(run=lambda options, clock: replay(options.recording, options.into, options.speed, clock))


def _add_healthcheck(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--url", default=DEFAULT_URL)
    parser.set_defaults(run=lambda options, _clock: healthcheck(options.url))


def _serve(options: argparse.Namespace, clock: Clock) -> int:
    set_up_logging(options.level, options.log_format)
    settings = Settings(
        load=lambda: _config(options),
        config_file=options.config_file,
        addresses=options.addresses or [parse_address(DEFAULT_ADDRESS)],
        checkpoint=None if options.checkpoint == "none" else Path(options.checkpoint),
    )
    return serve(settings, clock)


def _state_folder() -> str:
    """Return where state is kept: systemd's or the container's STATE_DIRECTORY, else the user's own."""
    if given := os.environ.get("STATE_DIRECTORY"):
        return given.partition(":")[0]
    return str(Path(os.environ.get("XDG_STATE_HOME") or "~/.local/state").expanduser() / "sglang-exporter")


def _once(options: argparse.Namespace, _clock: Clock) -> int:
    set_up_logging("warn", "logfmt")
    return once(_config(options))


def _backfill(options: argparse.Namespace, _clock: Clock) -> int:
    set_up_logging("warn", "logfmt")
    return backfill(_config(options), options.step, target_labels(options.labels))


def _report(options: argparse.Namespace, _clock: Clock) -> int:
    set_up_logging("warn", "logfmt")
    return report(_config(options), Choice(Span(options.since, options.until), options.epoch), options.format)


def _config(options: argparse.Namespace) -> Config:
    """Return the file's configuration with what the flags add."""
    config = load_config(options.config_file) if options.config_file else Config()
    tokens = TokensConfig(average=options.average_tokens)
    jobs = [JobConfig(files=files, total=options.total, tokens=tokens) for files in options.outputs]
    servers = [ServerConfig(logs=options.log)] if options.log else []
    servers = [*config.servers, *servers]
    _check_standard_input([glob for server in servers for glob in _listed(server.logs)].count("-"))
    return replace(
        config,
        servers=servers,
        jobs=[*config.jobs, *jobs],
        stale_after=config.stale_after if options.stale_after is None else options.stale_after,
    )


def _listed(globs: Globs) -> list[str]:
    return [globs] if isinstance(globs, str) else globs


def _check_standard_input(times: int) -> None:
    """Raise ConfigError when standard input is to be read so many times and cannot be."""
    if times > 1:
        raise ConfigError(f"- is standard input, which can be read once, and is given {times} times")
    if times and sys.stdin is None:
        raise ConfigError("--log -: standard input is closed")
    if times and sys.stdin.isatty():
        raise ConfigError(
            "--log -: standard input is a terminal; pipe a log into it,"
            " as in `docker logs -f sglang 2>&1 | sglang-exporter --log -`"
        )


def _address(text: str) -> Address:
    try:
        return parse_address(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _count(text: str) -> int:
    number = int(text) if text.isdecimal() else 0
    if number <= 0:
        raise argparse.ArgumentTypeError(f"{text} is no count")
    return number


def _seconds(text: str) -> float:
    number = _number(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no time in seconds")
    return number


def _time(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        pass
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no time: want 2026-11-29T10:00, or seconds since 1970") from None
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


def _epoch(text: str) -> int:
    digits = text.removeprefix("-")
    if not digits.isdecimal() or not int(digits):
        raise argparse.ArgumentTypeError(f"{text} is no epoch: 1 is the first, -1 the last")
    return int(text)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no number") from None


def _speed(text: str) -> float:
    number = _number(text)
    if not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no speed: 2 is twice as fast")
    return number


def _average(text: str) -> float | str:
    number = 0 if text == "auto" else _number(text)
    if text != "auto" and not 0 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is no average: want a number of tokens, or auto")
    return number or text
