"""The plain record as a type: msgspec tells while it decodes whether a line is one more like those before.

`plain` asks each value that was decoded, which takes five times as long as to have the decoder refuse what is unlike.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from operator import attrgetter
from types import NoneType
from typing import Annotated, Any, NamedTuple

from msgspec import UNSET, Meta, Raw, UnsetType, defstruct, json

from sglang_exporter.outputs.conditions import Test
from sglang_exporter.outputs.decode import REFUSED
from sglang_exporter.outputs.fields import Fields
from sglang_exporter.outputs.identity import key_of
from sglang_exporter.outputs.paths import Path
from sglang_exporter.outputs.plain import roles
from sglang_exporter.outputs.reasons import finish_reason
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.outputs.steps import Key
from sglang_exporter.outputs.values import MOST, MOST_TOKENS

Values = tuple[Any, ...]
"""What a plain record says, in the order of `roles`; UNSET where there is none."""
Keys = tuple[str, ...]
_Places = dict[Keys, Any]
"""The type of the value at each place that is looked at, by the keys that lead there."""
_Described = tuple[tuple[Any, ...], ...]
"""An object: of each key its name, the type of its value or what is described of that, and a default if it has one."""

_TOKENS = Annotated[int, Meta(gt=0, le=int(MOST_TOKENS))]
_SECONDS = Annotated[float, Meta(ge=0, lt=MOST)]  # whole numbers are floats here: of those, no more is believed
_TYPES = (_TOKENS, _TOKENS, _TOKENS, str, _SECONDS, Annotated[str, Meta(min_length=1)])
"""Of the values of a plain record, in the order of `roles`."""
_LATENCY = 4
_MOST_TYPES = 256
_NOWHERE = ("\uffff",)


class Alike(NamedTuple):
    """Reads lines that hold plain records like one sample.

    `look` returns what the record in a line says, and None for any other line. `together` makes one record of several
    that were looked at.
    """

    look: Callable[[bytes], Values | None]
    together: Callable[[Sequence[Values]], Record]


class _Absent:
    """The type of what must not be there: no JSON value is one."""


class _UnlikeError(ValueError):
    """Nothing can be made of the sample."""


def compile_typed(fields: Fields, scheme: Scheme, sample: dict[str, object], scope: str) -> Alike | None:
    """Return what reads lines that hold a record like the sample, a plain one; None where there can be no such thing.

    In such a line each value stands in the same place as in the sample, and what would count in its stead, or make it
    another kind of record, is as absent.
    """
    if scheme.duplicates == "ignore":  # the first of each id is to be told apart
        return None
    places: _Places = {}
    try:
        found = [_find(paths, sample, places, kind) for paths, kind in zip(roles(fields), _TYPES, strict=True)]
        tests = _tests(fields, sample, places)
        decode = json.Decoder(_type(_like(sample, places))).decode
    except ValueError:  # msgspec refuses names with a quote in them
        return None
    scale = next((path.scale for path in fields.latency if path.keys == found[_LATENCY]), 1.0)
    get = attrgetter(*(".".join(map(_attribute, keys)) for keys in (*found, *(keys for keys, _ in tests))))
    asked = [(number, test) for number, (_, test) in enumerate(tests, start=len(found))]

    def look(line: bytes) -> Values | None:
        try:
            values = get(decode(line))
        except REFUSED:
            return None
        for number, test in asked:
            if test(values[number]):
                return None
        return values

    return Alike(look, _together(scope, scale, live=scheme.live))


def _together(scope: str, scale: float, *, live: bool) -> Callable[[Sequence[Values]], Record]:
    def together(found: Sequence[Values]) -> Record:
        tokens, put_in, cached, words, seconds, names, *_ = zip(*found, strict=True)
        reasons = {word: finish_reason(word) for word in set(words)}
        return Record(
            settles=True,
            number=len(found),
            keys=tuple([key_of(name, scope) for name in names]) if names[0] else (),
            live=live,
            completions=len(found),
            output_tokens=sum(tokens),
            lengths=tokens,
            input_tokens=sum(put_in) if put_in[0] else None,
            cached_tokens=sum(cached) if cached[0] else None,
            finish_reasons=tuple([reasons[word] for word in words]),
            latencies=tuple([time * scale for time in seconds]) if seconds[0] is not UNSET else (),
        )

    return together


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


def _like(sample: dict[str, object], places: _Places) -> _Described:
    """Return what is to be in an object in which these places are as in the sample; what else is in it is skipped."""
    beneath: dict[str, _Places] = {name: {} for name in sample}  # in their order, in which msgspec looks for them
    for (name, *rest), kind in places.items():
        beneath.setdefault(name, {})[tuple(rest)] = kind
    return tuple((name, *_field(sample.get(name, UNSET), inner)) for name, inner in beneath.items() if inner)


def _field(value: object, places: _Places) -> tuple[Any, ...]:
    """Return the type of a value, or what is to be in it, and its default if it need not be there."""
    if value is UNSET:
        return _Absent | UnsetType, UNSET
    if () in places and len(places) == 1:
        return (places[()],)
    if isinstance(value, dict) and () not in places:
        return (_like(value, places),)
    if value is None:
        return (NoneType,)
    raise _UnlikeError


@lru_cache(maxsize=_MOST_TYPES)
def _type(described: _Described) -> Any:  # noqa: ANN401 -- a type made at run time
    """Return the type of an object, the same for all files: one takes 20 kB."""
    fields = [
        (_attribute(name), _type(kind) if isinstance(kind, tuple) else kind, *default)
        for name, kind, *default in described
    ]
    names = {_attribute(name): name for name, *_ in described}
    return defstruct("Like", fields, rename=names, kw_only=True, gc=False)


def _attribute(name: str) -> str:
    return f"_{name.encode().hex()}"
