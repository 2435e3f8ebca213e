"""Which paths and conditions of a mapping say something of given records: for `explain`, not for reading."""

from collections.abc import Iterator, Sequence

from sglang_exporter.outputs.conditions import compile_condition, holds
from sglang_exporter.outputs.paths import compile_path
from sglang_exporter.outputs.scheme import Scheme, listed
from sglang_exporter.outputs.values import is_null

_CONDITIONS = ("skip", "left_out", "error")
_PATHS = (
    "completions",
    "output_tokens",
    "input_tokens",
    "cached_tokens",
    "finish_reason",
    "latency",
    "timestamp",
    "id",
    "text",
)


def matched(scheme: Scheme, records: Sequence[object]) -> Iterator[tuple[str, str, int]]:
    """Yield key, path or condition, and in how many records it is there or holds, for all that do in any."""
    for key in _CONDITIONS:
        for text in listed(getattr(scheme, key)):
            condition = compile_condition(text)
            if hits := sum(holds(record, condition) for record in records):
                yield key, text, hits
    for key in _PATHS:
        for text in listed(getattr(scheme, key)):
            path = compile_path(text)
            if hits := sum(_leads_somewhere(path.get(record)) for record in records):
                yield key, text, hits


def _leads_somewhere(value: object) -> bool:
    return not all(map(is_null, value)) if isinstance(value, list) else not is_null(value)
