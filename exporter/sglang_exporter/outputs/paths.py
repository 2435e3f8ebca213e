"""Paths into a record, compiled once to closures.

The steps of `steps`, `len(a)`, `mul(a,b)`, `span(a,b)`, and times as `a @ms`.
"""

import re
from collections.abc import Callable, Collection

from msgspec import UNSET, Struct

from sglang_exporter.outputs.steps import Index, Items, Key, Prefix, SchemeError, Step, is_many, parse
from sglang_exporter.outputs.values import number, timestamp

Get = Callable[[object], object]
_Split = Callable[[object], list[object] | None]

_UNITS = {"": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_FUNCTION = re.compile(r"(?P<name>len|mul|span)\((?P<arguments>[^()]*)\)")


class Path(Struct, frozen=True):
    """A compiled path; no tuple, whose fields take five times as long to look up.

    `get` returns the value, or UNSET where the record has no such place; with `many` it returns a list, with UNSET for
    items that lack the rest of the path. `routes` are its steps, of `mul` and `span` both paths'. `scale` brings times
    to seconds. `keys` are its steps where these are keys and nothing else.
    """

    get: Get
    many: bool
    routes: tuple[tuple[Step, ...], ...]
    scale: float = 1.0
    keys: tuple[str, ...] = ()

    def applies(self, keys: Collection[str]) -> bool:
        """Tell whether a record with these keys can have such a place."""
        first = self.routes[0][0]
        return not isinstance(first, Key) or first.name in keys


def compile_path(text: str) -> Path:
    """Compile one path; SchemeError when it is none."""
    body, _, unit = text.partition(" @")
    if unit not in _UNITS:
        raise SchemeError(f"not a path: {text!r}: {unit!r} is none of ms, us, ns")
    if function := _FUNCTION.fullmatch(body):
        routes = tuple(parse(part.strip()) for part in function["arguments"].split(","))
        return Path(_function(function["name"], routes, text), many=False, routes=routes, scale=_UNITS[unit])
    steps = parse(body)
    return Path(_closure(steps), is_many(steps), (steps,), _UNITS[unit], _names(steps))


def _closure(steps: tuple[Step, ...]) -> Get:
    names = _names(steps)
    if len(names) == len(steps):
        return _keys_only(names)
    then, flatten = _closure(steps[1:]), is_many(steps[1:])
    match steps[0]:
        case Key(name):
            return _key(name, then)
        case Index(at):
            return _index(at, then)
        case Prefix(start):
            return _each(_keys(start), then, flatten=flatten)
        case Items(key, values):
            return _each(_items(key, values), then, flatten=flatten)


def _names(steps: tuple[Step, ...]) -> tuple[str, ...]:
    names = tuple(step.name for step in steps if isinstance(step, Key))
    return names if len(names) == len(steps) else ()


def _keys_only(names: tuple[str, ...]) -> Get:
    match names:  # nearly all paths are as short as these, and a loop takes twice as long
        case [name]:
            return _one_key(name)
        case [outer, name]:
            return _two_keys(outer, name)
        case [outer, inner, name]:
            return _three_keys(outer, inner, name)

    def get(value: object) -> object:
        for name in names:
            if not isinstance(value, dict):
                return UNSET
            value = value.get(name, UNSET)
        return value

    return get


def _one_key(name: str) -> Get:
    return lambda value: value.get(name, UNSET) if isinstance(value, dict) else UNSET


def _two_keys(outer: str, name: str) -> Get:
    def get(value: object) -> object:
        inner = value.get(outer) if isinstance(value, dict) else None
        return inner.get(name, UNSET) if isinstance(inner, dict) else UNSET

    return get


def _three_keys(outer: str, inner: str, name: str) -> Get:
    def get(value: object) -> object:
        middle = value.get(outer) if isinstance(value, dict) else None
        last = middle.get(inner) if isinstance(middle, dict) else None
        return last.get(name, UNSET) if isinstance(last, dict) else UNSET

    return get


def _key(name: str, then: Get) -> Get:
    def get(value: object) -> object:
        return then(value[name]) if isinstance(value, dict) and name in value else UNSET

    return get


def _index(at: int, then: Get) -> Get:
    def get(value: object) -> object:
        return then(value[at]) if isinstance(value, list) and -len(value) <= at < len(value) else UNSET

    return get


def _each(split: _Split, then: Get, *, flatten: bool) -> Get:
    def get(value: object) -> object:
        parts = split(value)
        if parts is None:
            return UNSET
        found = [then(part) for part in parts]
        if not flatten:
            return found
        return [item for inner in found if isinstance(inner, list) for item in inner]

    return get


def _keys(start: str) -> _Split:
    def split(value: object) -> list[object] | None:
        return [v for k, v in value.items() if k.startswith(start)] if isinstance(value, dict) else None

    return split


def _items(key: str | None, values: tuple[str, ...]) -> _Split:
    def passes(item: object) -> bool:
        if not isinstance(item, dict):
            return False
        return item.get(key) in values if values else bool(item.get(key))

    def split(value: object) -> list[object] | None:
        if not isinstance(value, list):
            return None
        return value if key is None else [item for item in value if passes(item)]

    return split


def _function(name: str, routes: tuple[tuple[Step, ...], ...], text: str) -> Get:
    gets = [_closure(route) for route in routes]
    match name, gets:
        case "len", [get]:
            return _length(get)
        case "mul", [left, right]:
            return _product(left, right)
        case "span", [begin, end]:
            return _span(begin, end)
    raise SchemeError(f"not a path: {text!r}: len takes one path, mul and span two")


def _length(get: Get) -> Get:
    def length(record: object) -> object:
        value = get(record)
        return len(value) if isinstance(value, list) else UNSET

    return length


def _product(left: Get, right: Get) -> Get:
    def product(record: object) -> object:
        a, b = number(left(record)), number(right(record))
        return UNSET if a is None or b is None else a * b

    return product


def _span(begin: Get, end: Get) -> Get:
    def span(record: object) -> object:
        a, b = timestamp(begin(record)), timestamp(end(record))
        return UNSET if a is None or b is None else b - a

    return span
