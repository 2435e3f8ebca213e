"""The plain record as a type: msgspec tells while it decodes whether a line is one more like those before.

`plain` asks each value that was decoded, which takes five times as long as to have the decoder refuse what is unlike.
"""

from collections.abc import Callable, Iterable
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any

from msgspec import UNSET, Meta, Raw, UnsetType, defstruct, json

from sglang_exporter.outputs.conditions import Test
from sglang_exporter.outputs.decode import REFUSED
from sglang_exporter.outputs.fields import Fields
from sglang_exporter.outputs.paths import Path
from sglang_exporter.outputs.plain import compile_build, roles
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.outputs.steps import Key
from sglang_exporter.outputs.values import MOST_TOKENS

ReadLine = Callable[[bytes], Record | None]
Keys = tuple[str, ...]
_Places = dict[Keys, Any]
"""The type of the value at each place that is looked at, by the keys that lead there."""

_TOKENS = Annotated[int, Meta(gt=0, le=int(MOST_TOKENS))]
_TYPES = (_TOKENS, _TOKENS, _TOKENS, str, Annotated[float, Meta(ge=0)], Annotated[str, Meta(min_length=1)])
"""Of the values of a plain record, in the order of `roles`."""
_LATENCY = 4
_NOWHERE = ("\uffff",)


class _Absent:
    """The type of what must not be there: no JSON value is one."""


class _UnlikeError(ValueError):
    """Nothing can be made of the sample."""


def compile_typed(fields: Fields, scheme: Scheme, sample: dict[str, object], scope: str) -> ReadLine | None:
    """Return what reads a line that holds a record like the sample, a plain one, and returns None for any other line.

    In such a line each value stands in the same place as in the sample, and what would count in its stead, or make it
    another kind of record, is as absent.
    """
    places: _Places = {}
    try:
        found = [_find(paths, sample, places, kind) for paths, kind in zip(roles(fields), _TYPES, strict=True)]
        tests = _tests(fields, sample, places)
        decode = json.Decoder(_like(sample, places)).decode
    except ValueError:  # msgspec refuses names with a quote in them
        return None
    scale = next((path.scale for path in fields.latency if path.keys == found[_LATENCY]), 1.0)
    build = compile_build(scheme, scale)
    get = attrgetter(*(".".join(map(_attribute, keys)) for keys in (*found, *(keys for keys, _ in tests))))
    asked = [(number, test) for number, (_, test) in enumerate(tests, start=len(found))]

    def read(line: bytes) -> Record | None:
        try:
            values = get(decode(line))
        except REFUSED:
            return None
        for number, test in asked:
            if test(values[number]):
                return None
        return build(values[: len(_TYPES)], scope)

    return read


def _find(paths: Iterable[Path], sample: dict[str, object], places: _Places, kind: object) -> Keys:
    """Return the place of the first value that is there; all up to it are looked at."""
    for path in paths:
        if path.get(sample) is not UNSET:
            if not path.keys or places.setdefault(path.keys, kind) is not kind:
                raise _UnlikeError
            return path.keys
        places[_gap(path, sample)] = _Absent
    places[_NOWHERE] = _Absent
    return _NOWHERE


def _tests(fields: Fields, sample: dict[str, object], places: _Places) -> list[tuple[Keys, Test]]:
    """Return the conditions on values that are there, with their places."""
    tests: list[tuple[Keys, Test]] = []
    for condition in (*fields.left_out, *fields.skip, *fields.error):
        path, value = condition.path, condition.path.get(sample)
        if value is UNSET:
            places[_gap(path, sample)] = _Absent
        elif path.keys:
            tests.append((path.keys, condition.test))
            places.setdefault(path.keys, Raw if isinstance(value, Raw) else Any)
        else:
            raise _UnlikeError
    for path in (*fields.completions, *fields.timestamp):
        places[_gap(path, sample)] = _Absent
    return tests


def _gap(path: Path, sample: dict[str, object]) -> Keys:
    """Return the keys which, as they lead nowhere in the sample, make the path lead nowhere."""
    if path.keys:
        return path.keys
    for first, *_ in path.routes:
        if isinstance(first, Key) and first.name not in sample:
            return (first.name,)
    raise _UnlikeError


def _like(sample: dict[str, object], places: _Places) -> Any:  # noqa: ANN401 -- a type made at run time
    """Return the type of an object in which these places are as in the sample; what else is in it is skipped."""
    beneath: dict[str, _Places] = {name: {} for name in sample}  # in their order, in which msgspec looks for them
    for (name, *rest), kind in places.items():
        beneath.setdefault(name, {})[tuple(rest)] = kind
    names = {_attribute(name): name for name, inner in beneath.items() if inner}
    fields: list[Any] = [(at, *_field(sample.get(name, UNSET), beneath[name])) for at, name in names.items()]
    return defstruct("Like", fields, rename=names, kw_only=True, gc=False)


def _field(value: object, places: _Places) -> tuple[Any, ...]:
    """Return the type of a value, and its default if it need not be there."""
    if value is UNSET:
        return _Absent | UnsetType, UNSET
    if () in places and len(places) == 1:
        return (places[()],)
    if isinstance(value, dict) and () not in places:
        return (_like(value, places),)
    if value is None:
        return (NoneType,)
    raise _UnlikeError


def _attribute(name: str) -> str:
    return f"_{name.encode().hex()}"
