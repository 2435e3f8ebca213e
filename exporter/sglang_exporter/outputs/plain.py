"""The record that most files are full of: one request and its one answer, with a count, of which nothing went wrong."""

from collections.abc import Callable, Sequence
from math import inf

from msgspec import UNSET

from sglang_exporter.outputs.conditions import Test
from sglang_exporter.outputs.fields import Fields, Paths
from sglang_exporter.outputs.identity import key_of
from sglang_exporter.outputs.paths import Get
from sglang_exporter.outputs.reasons import REASONS, finish_reason
from sglang_exporter.outputs.record import UNKNOWN, Record
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.outputs.values import MOST_TOKENS

Plain = Callable[[dict[str, object], str], Record | None]

_SAID: dict[object, tuple[str, ...]] = {word: (finish_reason(word),) for word in REASONS} | {UNSET: (UNKNOWN,)}


def compile_plain(fields: Fields, scheme: Scheme) -> Plain | None:
    """Return what reads such a record, and returns None for any other; None where there can be none.

    It says what `Mapping.read` says in half the time: each place is looked at once, and only for what is usually there.
    """
    conditions = (*fields.left_out, *fields.skip, *fields.error)
    scales = {path.scale for path in fields.latency} or {1.0}
    says_more = scheme.stream or fields.completions or fields.timestamp or any(one.path.many for one in conditions)
    if says_more or not fields.output_tokens or len(scales) > 1:
        return None
    return _plain(fields, scheme, [(one.path.get, one.test) for one in conditions], scales.pop())


def roles(fields: Fields) -> tuple[Paths, ...]:
    """Return where the values of such a record are: tokens out, in and cached, finish reason, latency and id."""
    tokens = fields.output_tokens, fields.input_tokens, fields.cached_tokens
    return *tokens, fields.finish_reason, fields.latency, fields.id


def _plain(fields: Fields, scheme: Scheme, conditions: Sequence[tuple[Get, Test]], scale: float) -> Plain:
    output, put_in, cached, reason, latency, identity = map(_first, roles(fields))
    once, live = scheme.duplicates == "ignore", scheme.live

    def read(record: dict[str, object], scope: str) -> Record | None:
        tokens, word, seconds, name = output(record), reason(record), latency(record), identity(record)
        if not (type(tokens) is int and 0 < tokens <= MOST_TOKENS):
            return None
        if not ((type(seconds) is float and 0 <= seconds < inf) or seconds is UNSET):
            return None
        if not ((type(name) is str and name) or name is UNSET) or not (type(word) is str or word is UNSET):
            return None
        counts = put_in(record), cached(record)
        for count in counts:
            if not ((type(count) is int and 0 < count <= MOST_TOKENS) or count is UNSET):
                return None
        for get, test in conditions:
            if test(get(record)):
                return None
        return Record(
            settles=True,
            key=key_of(name, scope) if name else None,
            once=once,
            live=live,
            completions=1,
            output_tokens=tokens,
            lengths=(tokens,),
            input_tokens=counts[0] or None,  # type: ignore[arg-type]
            cached_tokens=counts[1] or None,  # type: ignore[arg-type]
            finish_reasons=_SAID.get(word) or (finish_reason(word),),
            latencies=(seconds * scale,) if seconds is not UNSET else (),
        )

    return read


def _first(paths: Paths) -> Get:
    """Return what gets the first value that is there, be it null."""
    gets = [path.get for path in paths]
    match gets:
        case [get]:
            return get
        case [one, other]:
            return lambda record: value if (value := one(record)) is not UNSET else other(record)

    def first(record: object) -> object:
        for get in gets:
            if (value := get(record)) is not UNSET:
                return value
        return UNSET

    return first
