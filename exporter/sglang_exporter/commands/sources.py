"""What is to be read: the flags that all reading commands have, and the configuration that they make."""

import argparse
import sys
from pathlib import Path

from msgspec.structs import replace

from sglang_exporter.commands.values import average, count, seconds
from sglang_exporter.config import Config, Globs, JobConfig, ServerConfig, TokensConfig
from sglang_exporter.config_file import ConfigError, load_config


def add_sources(parser: argparse.ArgumentParser) -> None:
    """Add the flags that say what is to be read."""
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
    sources.add_argument("--total", type=count, metavar="N", help="records that each data set has when it is done")
    sources.add_argument(
        "--average-tokens",
        type=average,
        metavar="N",
        help="tokens that a completion without a count is taken for, or `auto`: the mean of those that have one",
    )
    sources.add_argument(
        "--config.file", dest="config_file", type=Path, metavar="FILE", help="YAML configuration; flags add to it"
    )
    sources.add_argument(
        "--stale-after",
        type=seconds,
        metavar="SECONDS",
        help="drop a silent scheduler's gauges after this time; 0 keeps them (default: its own rhythm, 30 s at least)",
    )


def config_of(options: argparse.Namespace) -> Config:
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
