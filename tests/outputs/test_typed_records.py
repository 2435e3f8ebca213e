"""What is read by type is what is read by a closer look, and what is not like the sample is not read by type."""

import json
from typing import Any

import pytest

from outputs.test_plain_records import PLAIN, variants
from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.presets import preset_names, schemes
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.scheme import Scheme

USAGE: dict[str, Any] = {"completion_tokens": 7, "prompt_tokens": 5}
SAMPLES: tuple[dict[str, Any], ...] = (
    PLAIN,
    {"response": "said", "usage": USAGE},
    {**PLAIN, "usage": {**USAGE, "prompt_tokens_details": None}},
    {**PLAIN, "usage": {**USAGE, "prompt_tokens_details": {"cached_tokens": 2}}},
    {**PLAIN, "usage": {**USAGE, "prompt_tokens_details": {"audio_tokens": 2}}},
    {**PLAIN, "usage": {"output_tokens": 7}},
    {"id": "a-1", "response": "said", "completion_tokens": 7, "latency_ms": 25.0},
    {**PLAIN, "status": "ok", "error": None, "type": "answer"},
    {**PLAIN, "metadata": {"usage": {"completion_tokens": 3}}, "success": True},
)


def line(record: object) -> bytes:
    return json.dumps(record).encode()


def settled(mapping: Mapping, sample: dict[str, Any]) -> OutputReader:
    """Return a reader that has read enough records like the sample to know them."""
    reader = OutputReader(mapping, scope="file")
    for _ in range(20):
        reader.read(line(sample))
    return reader


@pytest.mark.parametrize("name", preset_names())
def test_both_ways_say_the_same(name: str) -> None:
    mapping = Mapping(schemes()[name])
    others = [line(record) for record in (*SAMPLES, *variants()[::3])]
    for sample in SAMPLES:
        reader = settled(mapping, sample)
        for other in others if reader.quick else ():
            quick = reader.quick and reader.quick(other)
            assert quick is None or [quick] == OutputReader(mapping, scope="file").read(other), other


@pytest.mark.parametrize("sample", SAMPLES, ids=line)
def test_a_record_like_the_sample_is_read_by_type(sample: dict[str, Any]) -> None:
    quick = settled(Mapping(schemes()["generic"]), sample).quick
    assert quick
    assert quick(line({**sample, "prompt": "asked", "other": [1, {"a": None}]}))


@pytest.mark.parametrize(
    "other",
    [
        {**PLAIN, "error": "timeout"},
        {**PLAIN, "choices": []},
        {**PLAIN, "timestamp": 1.7e9},
        {**PLAIN, "response": None},
        {**PLAIN, "usage": {**USAGE, "completion_tokens": 0}},
        {**PLAIN, "usage": {**USAGE, "prompt_tokens_details": {"cached_tokens": 2}}},
        {**PLAIN, "latency": -1.0},
        {**PLAIN, "id": ""},
        {**PLAIN, "id": 7},
        {key: value for key, value in PLAIN.items() if key != "finish_reason"},
        [PLAIN],
        None,
    ],
    ids=line,
)
def test_any_other_is_looked_at_more_closely(other: object) -> None:
    quick = settled(Mapping(schemes()["generic"]), PLAIN).quick
    assert quick
    assert quick(line(other)) is None
    assert quick(line(PLAIN)[:-1]) is None


def test_a_few_records_are_not_worth_a_type() -> None:
    reader = OutputReader(Mapping(schemes()["generic"]))
    for _ in range(10):
        reader.read(line(PLAIN))
    assert reader.quick is None


def test_when_records_change_so_does_the_type() -> None:
    reader, later = settled(Mapping(schemes()["generic"]), PLAIN), {**PLAIN, "usage": {"output_tokens": 7}}
    for _ in range(20):
        reader.read(line(later))
    assert reader.quick
    assert reader.quick(line(later))
    assert reader.quick(line(PLAIN)) is None


def test_there_is_none_where_records_are_not_plain() -> None:
    assert settled(Mapping(schemes()["generic"]), {**PLAIN, "error": "timeout"}).quick is None


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a.b c", "class", "größe"])
def test_a_key_may_have_any_name(name: str) -> None:
    path = "tokens" if "." in name else name
    reader = settled(Mapping(Scheme(output_tokens=[path], id=["id"])), {path: 5, "id": "a"})
    assert [record.output_tokens for record in reader.read(line({path: 6, "id": "b"}))] == [6]
    assert reader.quick is None or reader.quick(line({path: 6, "id": "b"}))
