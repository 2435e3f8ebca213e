"""A YAML file of a user: read, checked against a schema, and refused with file, line and key."""

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
import yaml

_AT = re.compile(r"^(?P<what>.*?)(?: - at `(?:key in )?\$(?P<path>[^`]*)`)?$")
_UNKNOWN = re.compile(r"unknown field `(?P<key>[^`]+)`")
_STEP = re.compile(r"\.([\w-]+)|\[(\d+|\.\.\.)\]")


class _Loader(yaml.SafeLoader):
    """Leaves a date the text that it is: a data set may be named after one, and a deadline keeps its zone."""


_Loader.yaml_implicit_resolvers = {
    first: [(tag, form) for tag, form in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


class ConfigError(ValueError):
    """A configuration that can't be used; the message names file, line and key."""


Schema = TypeVar("Schema", bound=msgspec.Struct)
Wrong = tuple[str, str]
"""Place, as `.servers[0].logs`, and problem of a value that has the right type and no meaning."""


def read_yaml(path: Path, schema: type[Schema], meaningless: Callable[[Schema], Sequence[Wrong]]) -> Schema:
    """Return what the YAML file `path` says in the form of `schema`; raises ConfigError."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {getattr(error, 'strerror', None) or error}") from error
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
        _refuse_repeated_keys(path, root)
        value = _converted(path, text, root, schema)
        for place, problem in meaningless(value):
            raise ConfigError(_located(path, root, f"{problem} - at `${place}`"))
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise ConfigError(f"{path}:{line}: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ConfigError(f"{path}:{line}: character #x{error.character:04x}: {error.reason}") from error
    except RecursionError as error:
        raise ConfigError(f"{path}: nested too deeply, or an alias within what it stands for") from error
    return value


def _converted(path: Path, text: str, root: yaml.Node | None, schema: type[Schema]) -> Schema:
    try:
        value = yaml.load(text, Loader=_Loader)  # a safe one # noqa: S506 # nosec B506
    except yaml.YAMLError:
        raise
    except (ValueError, AttributeError) as error:  # of PyYAML's own making, as for !!int many
        raise ConfigError(f"{path}: {error}") from error
    try:
        return msgspec.convert({} if value is None else value, schema)
    except msgspec.ValidationError as error:
        raise ConfigError(_located(path, root, str(error))) from error


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
