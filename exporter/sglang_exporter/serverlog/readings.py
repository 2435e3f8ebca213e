"""A status line's fields to what metrics are made of: gauges by metric and pool, and amounts to count."""

import math

from sglang_exporter.serverlog.decoder import STATUS_FIELDS
from sglang_exporter.serverlog.events import Event, Value
from sglang_exporter.serverlog.grammar import Field

Gauges = dict[tuple[str, str], float]
Amounts = dict[str, float]

_COUNTER = "_total"
# Where a line has only pools, `kv` is the fullest of these, and its tokens are those of the first one.
_KV_POOLS = ("full", "swa", "gpu")


def readings(event: Event) -> tuple[Gauges, Amounts]:
    """Return the gauges of a Decode or Prefill line under (metric, pool), and what its counters rise by."""
    gauges: Gauges = {}
    amounts: Amounts = {}
    fields = STATUS_FIELDS[event.kind]
    for label, value in event.fields.items():
        field = fields.get(label)
        if field and field.to:
            _store(field, value, gauges, amounts)
    _add_kv(gauges)
    return gauges, amounts


def _store(field: Field, value: Value, gauges: Gauges, amounts: Amounts) -> None:
    if isinstance(value, dict):
        if "mid" not in value:
            gauges |= {(field.to, pool): number * field.scale for pool, number in value.items()}
            return
        value = value["mid"]
    if not isinstance(value, int | float) or math.isnan(value):
        return
    if field.to.endswith(_COUNTER):
        amounts[field.to] = value * field.scale
    else:
        gauges[field.to, field.pool] = value * field.scale


def _add_kv(gauges: Gauges) -> None:
    for metric, choose in (("token_usage_ratio", max), ("used_tokens", lambda pools: pools[0])):
        pools = [gauges[metric, pool] for pool in _KV_POOLS if (metric, pool) in gauges]
        if pools and (metric, "kv") not in gauges:
            gauges[metric, "kv"] = choose(pools)
