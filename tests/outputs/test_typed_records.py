"""What is read by type is what is read by a closer look, and what is not like the sample is not read by type."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from outputs.test_plain_records import PLAIN, variants
from sglang_exporter.config import Unit
from sglang_exporter.outputs import typed
from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.presets import preset_names, schemes
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.scheme import Scheme
from sglang_exporter.state.content import Content

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


def by_type(reader: OutputReader, text: bytes) -> Record | None:
    """Return the record in a line if it is read by type, as if it had been read by itself."""
    if reader.quick is None or (values := reader.quick.look(text)) is None:
        return None
    record = reader.quick.together([values])
    return replace(record, key=record.keys[0] if record.keys else None, keys=())


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
            read = by_type(reader, other)
            assert read is None or [read] == OutputReader(mapping, scope="file").read(other), other


@pytest.mark.parametrize("sample", SAMPLES, ids=line)
def test_a_record_like_the_sample_is_read_by_type(sample: dict[str, Any]) -> None:
    reader = settled(Mapping(schemes()["generic"]), sample)
    assert by_type(reader, line({**sample, "prompt": "asked", "other": [1, {"a": None}]}))


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
        {**PLAIN, "latency": 10**20 + 1},
        {**PLAIN, "id": ""},
        {**PLAIN, "id": 7},
        {key: value for key, value in PLAIN.items() if key != "finish_reason"},
        [PLAIN],
        None,
    ],
    ids=line,
)
def test_any_other_is_looked_at_more_closely(other: object) -> None:
    reader = settled(Mapping(schemes()["generic"]), PLAIN)
    assert by_type(reader, line(PLAIN))
    assert by_type(reader, line(other)) is None
    assert by_type(reader, line(PLAIN)[:-1]) is None


def test_a_few_records_are_not_worth_a_type() -> None:
    reader = OutputReader(Mapping(schemes()["generic"]))
    for _ in range(10):
        reader.read(line(PLAIN))
    assert reader.quick is None


def test_when_records_change_so_does_the_type() -> None:
    reader, later = settled(Mapping(schemes()["generic"]), PLAIN), {**PLAIN, "usage": {"output_tokens": 7}}
    for _ in range(20):
        reader.read(line(later))
    assert by_type(reader, line(later))
    assert by_type(reader, line(PLAIN)) is None


def test_files_that_are_alike_share_the_type(monkeypatch: pytest.MonkeyPatch) -> None:
    mapping, sample = Mapping(schemes()["generic"]), {**PLAIN, "status": "ok", "success": True}
    assert settled(mapping, sample).quick
    monkeypatch.setattr(typed, "defstruct", pytest.fail)  # a type takes 20 kB
    assert settled(mapping, sample).quick


def test_there_is_none_where_records_are_not_plain() -> None:
    assert settled(Mapping(schemes()["generic"]), {**PLAIN, "error": "timeout"}).quick is None


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a.b c", "class", "größe"])
def test_a_key_may_have_any_name(name: str) -> None:
    path = "tokens" if "." in name else name
    reader = settled(Mapping(Scheme(output_tokens=[path], id=["id"])), {path: 5, "id": "a"})
    assert [record.output_tokens for record in reader.read(line({path: 6, "id": "b"}))] == [6]
    assert reader.quick is None or by_type(reader, line({path: 6, "id": "b"}))


def test_the_first_of_each_id_is_told_apart_where_later_ones_are_nothing() -> None:
    scheme = replace(schemes()["generic"], duplicates="ignore")
    assert settled(Mapping(scheme), PLAIN).quick is None


@pytest.mark.parametrize("unit", ["records", "completions"])
@pytest.mark.parametrize("sample", SAMPLES, ids=line)
def test_many_together_come_to_what_each_comes_to(sample: dict[str, Any], unit: Unit) -> None:
    reader = settled(Mapping(schemes()["generic"]), sample)
    records = [sample | ({"id": f"a-{number % 7}"} if "id" in sample else {}) for number in range(10)]
    together, each = Content(), Content()
    assert reader.quick
    alike = [values for record in records if (values := reader.quick.look(line(record)))]
    folded = together.fold([reader.quick.together(alike)], unit)
    assert folded == each.fold([read for record in records for read in reader.read(line(record))], unit)
    assert len(alike) == len(records)
    assert (together, together.done, together.good) == (each, each.done, each.good)
    assert list(together.ids.items()) == list(each.ids.items())


def test_ids_that_other_files_share_are_theirs_no_more() -> None:
    reader, other = settled(Mapping(schemes()["generic"]), PLAIN), Content()
    other.fold(reader.read(line(PLAIN)), "records")
    content = Content()
    assert reader.quick
    values = reader.quick.look(line(PLAIN))
    assert values
    folded = content.fold([reader.quick.together([values])], "records", [other.ids])
    assert (folded.done, folded.counts["duplicates"], len(other.ids), len(content.ids)) == (0, 1, 0, 1)
