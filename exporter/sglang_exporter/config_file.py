"""The file of `--config.file`: read, checked against the schema, and refused with file, line and key."""

import re
from collections.abc import Callable
from pathlib import Path

import msgspec
import yaml

from sglang_exporter.config import Config, Globs, JobConfig, TotalConfig, deadline_seconds, window_seconds
from sglang_exporter.outputs.given import compile_format
from sglang_exporter.outputs.measure import load_tokenizer
from sglang_exporter.outputs.steps import SchemeError
from sglang_exporter.serverlog.stamps import parse_zone
from sglang_exporter.sources.counting import check_place

_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?$")
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]+)`")
_STEP = re.compile(r"\.(\w+)|\[(\d+|\.\.\.)\]")


class _Loader(yaml.SafeLoader):
    """Leaves a date the text that it is: a data set may be named after one, and a deadline keeps its zone."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class ConfigError(ValueError):
    """A configuration that can't be used; the message names file, line and key."""


def load_config(path: Path) -> Config:
    """Return the configuration in the YAML file `path`; raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        _refuse_repeated_keys(path, root)
        return _converted(path, text, root)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{path}:{line}: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(f"{path}:{line}: character #x{error.character:04x}: {error.reason}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deeply, or an alias within what it stands for") from error


def _converted(path: Path, text: str, root: yaml.Node | None) -> Config:
    try:
        value = yaml.load(text, Loader=_Loader)  # noqa: S506 -- a safe one
    except yaml.YAMLError:
        raise
    except (ValueError, AttributeError) as error:  # of PyYAML's own making, as for !!int many
        raise ConfigError(f"{path}: {error}") from error
    try:
        config = msgspec.convert({} if value is None else value, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(_located(path, root, str(error))) from error
    for place, problem in _meaningless(config):
        raise ConfigError(_located(path, root, f"{problem} - at `${place}`"))
    return config


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


def _located(path: Path, root: yaml.Node | None, problem: str) -> str:
    """Return `file:line: key: what is wrong` of a message of msgspec, which tells the path as `$.servers[0].logs`."""
    found = _AT.match(problem)
    what, place = (found["what"], found["path"] or "") if found else (problem, "")
    if unknown := _UNKNOWN.search(what):
        place = f"{place}.{unknown['key']}"
    return f"{path}:{_line(root, place)}: {place.lstrip('.') or 'the file'}: {what}"


def _line(node: yaml.Node | None, place: str) -> int:
    """Return the line on which the key or item of `place` stands, as near as the file has it."""
    line = node.start_mark.line if node else 0
    for key, index in _STEP.findall(place):
        if isinstance(node, yaml.MappingNode):
            pair = next(((k, v) for k, v in node.value if k.value == key), None)
            if pair is None:
                break
            line, node = pair[0].start_mark.line, pair[1]
        elif isinstance(node, yaml.SequenceNode) and index.isdigit() and int(index) < len(node.value):
            node = node.value[int(index)]
            line = node.start_mark.line
        else:
            break
    return line + 1


def _refuse_repeated_keys(path: Path, node: yaml.Node | None) -> None:
    """Raise ConfigError when a mapping has a key twice, of which YAML would silently take the last."""
    if isinstance(node, yaml.SequenceNode):
        for item in node.value:
            _refuse_repeated_keys(path, item)
    if not isinstance(node, yaml.MappingNode):
        return
    seen: set[str] = set()
    for key, value in node.value:
        if not isinstance(key, yaml.ScalarNode):
            raise ConfigError(f"{path}:{key.start_mark.line + 1}: a key must be a word")
        if key.value in seen:
            raise ConfigError(f"{path}:{key.start_mark.line + 1}: {key.value}: the key is there twice")
        seen.add(key.value)
        _refuse_repeated_keys(path, value)
