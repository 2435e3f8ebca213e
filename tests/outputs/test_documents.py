"""JSON documents: one value over one line or over many."""

import json
from pathlib import Path

import pytest

from outputs.files import read_bytes, read_file
from sglang_exporter.outputs.document import Document
from sglang_exporter.outputs.given import compile_format
from sglang_exporter.outputs.reader import OutputReader

SAMPLES = Path(__file__).parent / "samples"
RECORDS = [{"id": number, "response": "r", "completion_tokens": 10 * number} for number in (1, 2, 3)]


def tokens(text: bytes, output_format: str = "auto") -> list[float]:
    return [record.output_tokens for record in read_bytes(text, OutputReader(compile_format(output_format)))]


@pytest.mark.parametrize("indent", [None, 1, 4])
@pytest.mark.parametrize("end", ["", "\n"])
@pytest.mark.parametrize("output_format", ["auto", "generic"])
def test_a_list_of_records(indent: int | None, end: str, output_format: str) -> None:
    assert tokens((json.dumps(RECORDS, indent=indent) + end).encode(), output_format) == [10, 20, 30]


@pytest.mark.parametrize("name", ["guidellm.json", "llmperf.json", "livecodebench.json"])
def test_a_sample_indented_counts_the_same(name: str) -> None:
    whole = json.loads((SAMPLES / name).read_bytes())
    as_it_is = read_file(SAMPLES / name, OutputReader())
    keyless = [(r.completions, r.errors, r.output_tokens, r.input_tokens, r.live) for r in as_it_is]
    for indent in (None, 2):
        records = read_bytes(json.dumps(whole, indent=indent).encode(), OutputReader())
        assert [(r.completions, r.errors, r.output_tokens, r.input_tokens, r.live) for r in records] == keyless


def test_records_keyed_by_problem() -> None:
    document = {
        "0": {
            "_index": 0,
            "responses": [{"content": "a"}, {"content": "b"}],
            "token_usages": [{"completion_tokens": 9}, {}],
        },
        "1": {"_index": 1, "responses": [{"content": "c"}], "token_usages": None},
    }
    reader = OutputReader()
    records = read_bytes(json.dumps(document, indent=4).encode(), reader)
    assert reader.preset == "skythought-results"
    assert [(record.completions, record.output_tokens, record.uncounted) for record in records] == [
        (2, 9, 1),
        (1, 0, 1),
    ]


def test_a_document_adds_nothing_before_its_last_line() -> None:
    *lines, last = json.dumps(RECORDS, indent=2).encode().split(b"\n")
    reader = OutputReader()
    assert [reader.read(line) for line in lines] == [[]] * len(lines)
    assert len(reader.read(last)) == 3


def test_a_document_that_is_not_whole_counts_as_not_read() -> None:
    *lines, tail = json.dumps(RECORDS, indent=2).encode()[:-20].split(b"\n")
    reader = OutputReader()
    for line in lines:
        reader.read(line)
    assert reader.finish(tail) is None
    assert reader.finish(b"") is None


def test_documents_one_after_another() -> None:
    text = json.dumps(RECORDS[:1], indent=2) + "\n" + json.dumps(RECORDS[1:], indent=2) + "\n"
    assert tokens(text.encode()) == [10, 20, 30]


def test_a_document_with_what_json_does_not_know() -> None:
    text = json.dumps([{**RECORDS[0], "x": float("nan")}], indent=2)
    assert tokens(text.encode()) == [10]


def test_a_list_with_a_record_on_each_line_is_read_line_by_line() -> None:
    reader = OutputReader()
    assert reader.read(b"[") == []
    added = [reader.read(json.dumps(record).encode() + b",") for record in RECORDS[:2]]
    assert [[record.output_tokens for record in records] for records in added] == [[10], [20]]
    assert reader.read(b"]") == []


def test_a_torn_first_line_is_no_document() -> None:
    lines = [b"{", *(json.dumps(record).encode() for record in RECORDS), b""]
    records = read_bytes(b"\n".join(lines), OutputReader())
    assert [record.output_tokens for record in records if not record.malformed] == [10, 20, 30]
    assert sum(record.malformed for record in records) == 1


def test_a_bracket_alone_among_records_begins_no_document() -> None:
    lines = [json.dumps(RECORDS[0]).encode(), b"{", json.dumps(RECORDS[1]).encode(), b""]
    records = read_bytes(b"\n".join(lines), OutputReader())
    assert [record.output_tokens for record in records if not record.malformed] == [10, 20]


def test_a_document_over_the_limit_is_malformed_once_and_not_kept() -> None:
    text = json.dumps(RECORDS * 100, indent=2).encode()
    reader = OutputReader(document_limit=1000)
    records = [record for line in text.split(b"\n") for record in reader.read(line)]
    assert [record.malformed for record in records] == [True]


def test_a_document_full_of_closing_brackets_is_tried_a_few_times_only() -> None:
    tried = 0

    class Watched(Document):
        def whole(self, tail: bytes = b"") -> bytes | None:
            nonlocal tried
            tried += 1
            return super().whole(tail)

    document = Watched(b"[", limit=1 << 20)
    for _ in range(10_000):
        document.add(b'"x": {')
        document.add(b"}")
    assert 1 < tried < 30
