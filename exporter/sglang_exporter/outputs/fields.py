"""The compiled paths and conditions of a scheme, and those of them that can say something of a given record."""

from collections.abc import Collection, Iterator
from typing import Any

from msgspec import Struct

from sglang_exporter.outputs.conditions import Conditions, compile_condition
from sglang_exporter.outputs.paths import Path, compile_path
from sglang_exporter.outputs.scheme import Scheme, listed
from sglang_exporter.outputs.shape import Route, Use
from sglang_exporter.outputs.steps import SchemeError

Paths = tuple[Path, ...]

_USES: dict[str, Use] = {"completions": "items", "text": "text"}


class Fields(Struct, frozen=True):
    """The alternatives for each key of a scheme, in its order."""

    skip: Conditions
    left_out: Conditions
    error: Conditions
    completions: Paths
    output_tokens: Paths
    input_tokens: Paths
    cached_tokens: Paths
    finish_reason: Paths
    error_words: Paths
    latency: Paths
    timestamp: Paths
    id: Paths
    text: Paths

    def narrowed(self, keys: Collection[str]) -> "Fields":
        """Leave out the alternatives that a record with these keys cannot have."""
        kept: Any = (tuple(part for part in getattr(self, name) if part.applies(keys)) for name in _CONDITIONS + _PATHS)
        return Fields(*kept)

    def routes(self) -> Iterator[Route]:
        """Yield the places of a record that are looked at."""
        for condition in (*self.skip, *self.left_out, *self.error):
            yield from ((route, "presence" if condition.presence else "value") for route in condition.path.routes)
        for name in _PATHS:
            paths: Paths = getattr(self, name)
            yield from ((route, _USES.get(name, "value")) for path in paths for route in path.routes)


_CONDITIONS = Fields.__struct_fields__[:3]
_PATHS = Fields.__struct_fields__[3:]


def compile_fields(scheme: Scheme) -> Fields:
    """Compile a scheme; SchemeError, with the key, when a path or condition of it is none."""
    conditions: Any = {name: _conditions(name, getattr(scheme, name)) for name in _CONDITIONS}
    paths: Any = {name: _paths(name, getattr(scheme, name)) for name in _PATHS}
    return Fields(**conditions, **paths)


def _paths(name: str, texts: str | list[str]) -> Paths:
    try:
        return tuple(compile_path(text) for text in listed(texts))
    except SchemeError as error:
        raise SchemeError(f"{name}: {error}") from error


def _conditions(name: str, texts: str | list[str]) -> Conditions:
    try:
        return tuple(condition for text in listed(texts) for condition in compile_condition(text))
    except SchemeError as error:
        raise SchemeError(f"{name}: {error}") from error
