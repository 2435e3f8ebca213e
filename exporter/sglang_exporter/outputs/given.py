"""The format of output files as a user gives it: `auto`, the name of a preset, or a mapping with the keys of one."""

import re
from functools import lru_cache

import msgspec

from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.presets import preset, schemes
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.outputs.steps import SchemeError

AUTO = "auto"
_BASE = "preset"
_AT = re.compile(r"(?P<what>.*?) - at `\$\.(?P<key>\w+).*`|.*unknown field `(?P<unknown>\w+)`")

Given = str | dict[str, object]


def compile_format(given: Given) -> Mapping | None:
    """Return the mapping that is meant, compiled; None for `auto`, which the first records of a file decide.

    A mapping's key `preset` names one whose keys count where it has none of its own. SchemeError, behind the key that
    is wrong, when nothing can be made of it.
    """
    if given == AUTO:
        return None
    return preset(given) if isinstance(given, str) else _own(msgspec.json.encode(given))


@lru_cache(maxsize=64)
def _own(given: bytes) -> Mapping:
    """Return a mapping that is written in JSON, compiled once for all files of its jobs."""
    return Mapping(_scheme(msgspec.json.decode(given)))


def _scheme(given: dict[str, object]) -> Scheme:
    keys = {key: value for key, value in given.items() if key != _BASE}
    if base := given.get(_BASE):
        if base not in schemes():
            raise SchemeError(f"{_BASE}: no such format: {base!r}; known are {', '.join(schemes())}")
        keys = {**msgspec.to_builtins(schemes()[str(base)]), **keys}
    try:
        return msgspec.convert(keys, Scheme)
    except msgspec.ValidationError as error:
        raise SchemeError(_behind_key(str(error))) from error


def _behind_key(problem: str) -> str:
    """Return `key: problem` for a message of msgspec."""
    found = _AT.fullmatch(problem)
    if found is None:
        return problem
    if found["unknown"]:
        return f"{found['unknown']}: no such key; known are {_BASE}, {', '.join(Scheme.__struct_fields__)}"
    return f"{found['key']}: {found['what']}"
