"""The short way of reading a plain record says what the long one says, which looks at everything."""

from itertools import combinations
from typing import Any

import pytest

from sglang_exporter.outputs import mapping
from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.presets import preset_names, schemes
from sglang_exporter.outputs.scheme import Scheme

PLAIN = {
    "id": "a-1",
    "response": "said",
    "usage": {"completion_tokens": 7, "prompt_tokens": 5},
    "finish_reason": "stop",
    "latency": 2.5,
}
ODD: list[Any] = [
    None,
    0,
    -1,
    3,
    2.5,
    1e13,
    float("nan"),
    float("inf"),
    "",
    "7",
    "Length",
    True,
    [],
    ["stop"],
    [None],
    {},
]
PLACES = (
    *PLAIN,
    "error",
    "status",
    "prompt_tokens",
    "cached_tokens",
    "completion_tokens",
    "latency_ms",
    "choices",
    "type",
)
INNER = ("completion_tokens", "output_tokens", "prompt_tokens", "cached_tokens", "prompt_tokens_details")


def variants() -> list[dict[str, Any]]:
    """Return the plain record with odd values in one place and in two, and without them."""
    changes = [(place, value) for place in PLACES for value in ODD]
    changes += [("usage", {**PLAIN["usage"], inner: value}) for inner in INNER for value in ODD]  # type: ignore[dict-item]
    changed = [{**PLAIN, place: value} for place, value in changes]
    changed += [{**PLAIN, **dict(pair)} for pair in combinations(changes[::7], 2)]
    lacking = [{key: value for key, value in record.items() if key != place} for record in changed for place in PLAIN]
    return [PLAIN, *changed, *lacking]


def long_way(scheme: Scheme, monkeypatch: pytest.MonkeyPatch) -> Mapping:
    with monkeypatch.context() as patched:
        patched.setattr(mapping, "compile_plain", lambda *_: None)
        read = Mapping(scheme)
        for record in variants():
            read.read(record, "file")
    return read


@pytest.mark.parametrize("name", preset_names())
def test_both_ways_say_the_same(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "_MOST_SHAPES", 100_000)
    short, long = Mapping(schemes()[name]), long_way(schemes()[name], monkeypatch)
    for record in variants():
        assert short.read(record, "file") == long.read(record, "file")


def test_a_plain_record_goes_the_short_way(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the long way")

    monkeypatch.setattr(mapping, "find_answers", fail)
    read = Mapping(schemes()["generic"]).read(dict(PLAIN), "file")
    assert (read.output_tokens, read.input_tokens, read.finish_reasons, read.latencies) == (7, 5, ("stop",), (2.5,))
