"""The file of `--config.file`: read, checked against the schema, and refused with file, line and key."""

from collections.abc import Callable
from pathlib import Path

from sglang_exporter.config import Config, Globs, JobConfig, TotalConfig, deadline_seconds, window_seconds
from sglang_exporter.outputs.given import compile_format
from sglang_exporter.outputs.measure import load_tokenizer
from sglang_exporter.outputs.steps import SchemeError
from sglang_exporter.serverlog.stamps import parse_zone
from sglang_exporter.sources.counting import check_place
from sglang_exporter.yaml_file import ConfigError, read_yaml

__all__ = ["ConfigError", "load_config"]


def load_config(path: Path) -> Config:
    """Return the configuration in the YAML file `path`; raises ConfigError."""
    return read_yaml(path, Config, _meaningless)


def _meaningless(config: Config) -> list[tuple[str, str]]:
    """Return place and problem of each value that has the right type and no meaning."""
    checks: list[tuple[str, Callable[[str], object], str]] = []
    checks += [(f".windows[{i}]", window_seconds, window) for i, window in enumerate(config.windows)]
    checks += [
        (f".servers[{i}].timezone", parse_zone, s.timezone)
        for i, s in enumerate(config.servers)
        if s.timezone is not None
    ]
    checks += [(f".servers[{i}].logs", _check_glob, g) for i, s in enumerate(config.servers) for g in _globs(s.logs)]
    checks += [(f".jobs[{i}].files", _check_glob, g) for i, j in enumerate(config.jobs) for g in _globs(j.files)]
    totals = [(i, job.total) for i, job in enumerate(config.jobs) if isinstance(job.total, TotalConfig)]
    checks += [
        (f".jobs[{i}].total.lines", _check_glob, g) for i, t in totals if t.lines is not None for g in _globs(t.lines)
    ]
    checks += [(f".jobs[{i}].total.json", _check_glob, t.json) for i, t in totals if t.json is not None]
    checks += [(f".jobs[{i}].total.path", check_place, t.path) for i, t in totals]
    tokenizers = [(i, job.tokens.tokenizer) for i, job in enumerate(config.jobs) if job.tokens.tokenizer is not None]
    checks += [(f".jobs[{i}].tokens.tokenizer", load_tokenizer, path) for i, path in tokenizers]
    deadlines = [(i, job.deadline) for i, job in enumerate(config.jobs) if job.deadline is not None]
    checks += [(f".jobs[{i}].deadline", deadline_seconds, deadline) for i, deadline in deadlines]
    endless = [i for i, _ in deadlines if config.jobs[i].total is None]
    return [
        *((place, problem) for place, parse, value in checks if (problem := _problem(parse, value))),
        *((f".jobs[{i}].deadline", "a deadline needs a total to be held against") for i in endless),
        *(wrong for i, job in enumerate(config.jobs) for wrong in _check_format(f".jobs[{i}].format", job)),
    ]


def _problem(parse: Callable[[str], object], value: str) -> str:
    try:
        parse(value)
    except ValueError as error:
        return str(error)
    return ""


def _globs(globs: Globs) -> list[str]:
    return [globs] if isinstance(globs, str) else globs or [""]


def _check_glob(text: str) -> None:
    if not text or "\0" in text:
        raise ValueError("want the name of a file, or a glob")


def _check_format(place: str, job: JobConfig) -> list[tuple[str, str]]:
    """Return what is wrong with the format of a job, at the key of a mapping if one is to blame."""
    try:
        compile_format(job.format)
    except SchemeError as error:
        key, _, problem = str(error).partition(": ")
        at_key = isinstance(job.format, dict) and key in job.format
        return [(f"{place}.{key}", problem) if at_key else (place, str(error))]
    return []
