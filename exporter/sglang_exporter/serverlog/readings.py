"""A status line's fields to what metrics are made of: gauges by metric and pool, and amounts to count."""

import math
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter

import msgspec

from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.grammar import STATUS_FIELDS, Field

Name = tuple[str, str]
Gauges = dict[Name, float]
Amounts = dict[str, float]

_COUNTER = "_total"
_numbers = msgspec.json.Decoder(list[float]).decode  # at a quarter of what float(...) of each costs
# Where a line has only pools, `kv` is the fullest of these, and its tokens are those of the first one.
_KV_POOLS = ("full", "swa", "gpu")
# Where `Work` is from.
_WORK = (
    ("running_requests", ""),
    ("queued_requests", ""),
    ("token_usage_ratio", "kv"),
    ("used_tokens", "kv"),
    ("gen_throughput_tokens_per_second", ""),
    ("spec_accept_length", ""),
)


Work = tuple[float, ...]
"""What a line says of work, 0 where it does not: requests that run and are queued, share of the KV cache and tokens in
it, tokens per second, tokens accepted by each step."""


class Readings(msgspec.Struct, frozen=True):
    """The gauges of a Decode or Prefill line by (metric, pool), and what its counters rise by."""

    names: tuple[Name, ...]
    values: tuple[float, ...]
    amounts: Amounts
    work: Work

    @property
    def gauges(self) -> Gauges:
        """The gauges under their names."""
        return dict(zip(self.names, self.values, strict=True))


def read(kind: str, fields: Mapping[str, Value]) -> Readings:
    """Return the readings of a status line."""
    return _readings(*_found(kind, fields))


class Plan:
    """How the readings of all lines of one form are made of its numbers, which are in the order of `labels`."""

    def __init__(self, kind: str, fields: Mapping[str, Value], labels: Sequence[str]) -> None:
        known = [(at, STATUS_FIELDS[kind].get(label)) for at, label in enumerate(labels)]
        exported = [(at, field) for at, field in known if field and field.to]
        rest, _ = _found(kind, {label: fields[label] for label in fields if label not in labels})
        places = {(field.to, field.pool): at for at, field in exported if not _is_counter(field)}
        places |= {name: len(labels) + at for at, name in enumerate(rest)}
        self._scaled = [(at, field.scale) for at, field in exported if field.scale != 1]
        self._rest = (*rest.values(), 0.0)
        self._names = tuple(places)
        self._values = _picker([*places.values()])
        self._work = _picker([places.get(name, -1) for name in _WORK])
        self._amounts = [(field.to, at) for at, field in exported if _is_counter(field)]
        self._lacks_kv = _add_kv(dict.fromkeys(places, 0.0))

    def readings(self, printed: Sequence[bytes]) -> Readings:
        """Return the readings of a line with these numbers, as they are printed."""
        known = _numbers(b"[%b]" % b",".join(printed))
        known += self._rest
        for at, scale in self._scaled:
            known[at] *= scale
        amounts = {metric: known[at] for metric, at in self._amounts} if self._amounts else {}
        values = self._values(known)
        if self._lacks_kv:
            return _readings(dict(zip(self._names, values, strict=True)), amounts)
        return Readings(self._names, values, amounts, self._work(known))


def _picker(places: Sequence[int]) -> Callable[[Sequence[float]], tuple[float, ...]]:
    """Return what takes the numbers at these places."""
    return itemgetter(*places) if len(places) > 1 else lambda numbers: tuple(numbers[at] for at in places)


def _readings(gauges: Gauges, amounts: Amounts) -> Readings:
    """Return readings, with the fullest pool for those that have only pools."""
    _add_kv(gauges)
    return Readings(tuple(gauges), tuple(gauges.values()), amounts, tuple([gauges.get(name, 0.0) for name in _WORK]))


def _is_counter(field: Field) -> bool:
    return field.to.endswith(_COUNTER)


def _found(kind: str, fields: Mapping[str, Value]) -> tuple[Gauges, Amounts]:
    gauges: Gauges = {}
    amounts: Amounts = {}
    for label, value in fields.items():
        field = STATUS_FIELDS[kind].get(label)
        if field and field.to:
            _store(field, value, gauges, amounts)
    return gauges, amounts


def _store(field: Field, value: Value, gauges: Gauges, amounts: Amounts) -> None:
    if isinstance(value, dict):
        if "mid" not in value:
            gauges.update({(field.to, pool): number * field.scale for pool, number in value.items()})
            return
        value = value["mid"]
    if not isinstance(value, int | float) or math.isnan(value):
        return
    if _is_counter(field):
        amounts[field.to] = value * field.scale
    else:
        gauges[field.to, field.pool] = value * field.scale


def _add_kv(gauges: Gauges) -> bool:
    """Add what is told of the KV cache where only its pools are; tell whether that was so."""
    before = len(gauges)
    for metric, choose in (("token_usage_ratio", max), ("used_tokens", lambda pools: pools[0])):
        pools = [gauges[metric, pool] for pool in _KV_POOLS if (metric, pool) in gauges]
        if pools and (metric, "kv") not in gauges:
            gauges[metric, "kv"] = choose(pools)
    return len(gauges) > before
