"""A status line's fields to what metrics are made of: gauges by metric and pool, and amounts to count."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.grammar import STATUS_FIELDS, Field

Gauges = dict[tuple[str, str], float]
Amounts = dict[str, float]

_COUNTER = "_total"
# Where a line has only pools, `kv` is the fullest of these, and its tokens are those of the first one.
_KV_POOLS = ("full", "swa", "gpu")


class Readings(NamedTuple):
    """The gauges of a Decode or Prefill line under (metric, pool), and what its counters rise by."""

    gauges: Gauges
    amounts: Amounts


def read(kind: str, fields: Mapping[str, Value]) -> Readings:
    """Return the readings of a status line."""
    found = _found(kind, fields)
    _add_kv(found.gauges)
    return found


class Plan:
    """How the readings of all lines of one form are made of its numbers, which are in the order of `labels`."""

    def __init__(self, kind: str, fields: Mapping[str, Value], labels: Sequence[str]) -> None:
        known = [(at, STATUS_FIELDS[kind].get(label)) for at, label in enumerate(labels)]
        exported = [(at, field) for at, field in known if field and field.to]
        self._gauges = [((field.to, field.pool), at, field.scale) for at, field in exported if not _is_counter(field)]
        self._amounts = [(field.to, at, field.scale) for at, field in exported if _is_counter(field)]
        self._rest = _found(kind, {label: fields[label] for label in fields if label not in labels}).gauges
        self._lacks_kv = read(kind, fields).gauges.keys() != _found(kind, fields).gauges.keys()

    def readings(self, numbers: Sequence[float]) -> Readings:
        """Return the readings of a line with these numbers."""
        gauges = {gauge: numbers[at] * scale for gauge, at, scale in self._gauges} | self._rest
        if self._lacks_kv:
            _add_kv(gauges)
        return Readings(gauges, {metric: numbers[at] * scale for metric, at, scale in self._amounts})


def _is_counter(field: Field) -> bool:
    return field.to.endswith(_COUNTER)


def _found(kind: str, fields: Mapping[str, Value]) -> Readings:
    found = Readings({}, {})
    for label, value in fields.items():
        field = STATUS_FIELDS[kind].get(label)
        if field and field.to:
            _store(field, value, found)
    return found


def _store(field: Field, value: Value, found: Readings) -> None:
    if isinstance(value, dict):
        if "mid" not in value:
            found.gauges.update({(field.to, pool): number * field.scale for pool, number in value.items()})
            return
        value = value["mid"]
    if not isinstance(value, int | float) or math.isnan(value):
        return
    if _is_counter(field):
        found.amounts[field.to] = value * field.scale
    else:
        found.gauges[field.to, field.pool] = value * field.scale


def _add_kv(gauges: Gauges) -> None:
    for metric, choose in (("token_usage_ratio", max), ("used_tokens", lambda pools: pools[0])):
        pools = [gauges[metric, pool] for pool in _KV_POOLS if (metric, pool) in gauges]
        if pools and (metric, "kv") not in gauges:
            gauges[metric, "kv"] = choose(pools)
