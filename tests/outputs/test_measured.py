"""Estimates by text: of what was said, reasoning too, and of nothing that has a count or failed."""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest
from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

from outputs.files import read_bytes
from sglang_exporter.config import TokensConfig
from sglang_exporter.outputs.given import compile_format
from sglang_exporter.outputs.measure import ByCharacters, ByTokenizer, NoTokenizerError, load_tokenizer, measure_of
from sglang_exporter.outputs.presets import preset, preset_names
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record

SAMPLES = Path(__file__).parent / "samples"


def measured(*records: object, output_format: str = "auto") -> list[tuple[int, float]]:
    """Return, of each record, how many completions were measured, and their tokens at four characters each."""
    lines = b"\n".join(json.dumps(record).encode() for record in records)
    reader = OutputReader(compile_format(output_format), measure=ByCharacters(4.0))
    return [(record.measured, record.estimated_tokens) for record in read_bytes(lines, reader) if not record.withdrawn]


def chat(*messages: object, tokens: int | None = None) -> dict[str, object]:
    choices = [{"message": message, "finish_reason": "stop"} for message in messages]
    return {"object": "chat.completion", "choices": choices, "usage": {"completion_tokens": tokens}}


@pytest.mark.parametrize("output_format", ["auto", "openai-chat"])
def test_reasoning_belongs_to_the_answer(output_format: str) -> None:
    message = {"role": "assistant", "content": "x" * 8, "reasoning_content": "y" * 40}
    cut = {"content": None, "reasoning": "y" * 12}
    assert measured(chat(message), chat(message, cut), chat(cut), output_format=output_format) == [
        (1, 12.0),
        (2, 15.0),
        (1, 3.0),
    ]


def test_a_count_is_never_estimated() -> None:
    assert measured(chat({"content": "x" * 8}, tokens=5)) == [(0, 0.0)]


@pytest.mark.parametrize("unknown", [-1, 0, None, "many"])
def test_a_count_that_is_none_is_estimated(unknown: object) -> None:
    assert measured({"id": 1, "response": "x" * 8, "completion_tokens": unknown}) == [(1, 2.0)]


def test_failures_and_records_without_a_text_are_not_measured() -> None:
    records = [{"id": 1, "error": "timeout", "response": "x" * 8}, {"id": 2, "response": None}, {"id": 3, "done": 1}]
    assert measured(*records, output_format="generic") == [(0, 0.0)] * 3


@pytest.mark.parametrize(
    "response",
    [
        "x" * 8,
        {"content": "x" * 8},
        [{"type": "text", "text": "x" * 8}],
        {"content": [{"text": "x" * 3}, {"text": "x" * 5}]},
    ],
)
def test_texts_messages_and_their_parts(response: object) -> None:
    assert measured({"id": 1, "response": response}, output_format="generic") == [(1, 2.0)]


def test_of_several_answers_only_those_without_a_count() -> None:
    record = {"id": 1, "responses": ["x" * 8, "x" * 8], "completion_tokens": [5, None]}
    (found,) = read_bytes(json.dumps(record).encode(), OutputReader(preset("generic"), measure=ByCharacters(4.0)))
    counted = (found.output_tokens, found.uncounted, found.measured, found.estimated_tokens)
    assert counted in [(5, 1, 1, 2.0), (0, 2, 2, 4.0)]


@pytest.mark.parametrize("name", ["specforge-regen", "sharegpt", "plain", "nemotron-sft"])
def test_formats_without_counts_are_all_measured(name: str) -> None:
    records = read_bytes((SAMPLES / f"{name}.jsonl").read_bytes(), OutputReader(measure=ByCharacters(4.0)))
    standing = _standing(records)
    assert sum(record.uncounted for record in standing) == sum(record.measured for record in standing) > 0
    assert all(record.estimated_tokens > 0 for record in standing if record.measured)


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.jsonl")), ids=lambda path: path.stem)
def test_measuring_changes_nothing_else(path: Path) -> None:
    for output_format in ("auto", *preset_names()):
        plain = read_bytes(path.read_bytes(), OutputReader(compile_format(output_format)))
        with_texts = read_bytes(
            path.read_bytes(), OutputReader(compile_format(output_format), measure=ByCharacters(4.0))
        )
        assert [_without(record) for record in with_texts] == [_without(record) for record in plain]


def _without(record: Record) -> tuple[object, ...]:
    return tuple(
        getattr(record, name) for name in Record.__struct_fields__ if name not in ("measured", "estimated_tokens")
    )


def _standing(records: Iterable[Record]) -> list[Record]:
    standing: list[Record] = []
    for record in records:
        if record.withdrawn:
            standing.pop(0)
        else:
            standing.append(record)
    return standing


class Words:
    """A tokenizer by words, which remembers how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def __call__(self, text: str) -> int:
        self.asked += 1
        return len(text.split())


def test_every_so_many_texts_one_is_tokenized_and_the_others_are_like_it() -> None:
    words = Words()
    measure = ByTokenizer(words, every=5)
    assert measure.tokens(["four letters each word"[:11]]) == 2
    assert [measure.tokens(["x" * 11]) for _ in range(4)] == [2.0] * 4
    assert words.asked == 1
    assert measure.tokens(["a b c d e f"]) == 6
    assert measure.tokens(["x" * 22]) == 8.0
    assert words.asked == 2


def test_a_first_text_of_no_tokens_is_no_measure() -> None:
    measure = ByTokenizer(Words(), every=100)
    assert measure.tokens(["   "]) == 0
    assert measure.tokens(["a b"]) == 2
    assert measure.tokens(["x" * 6]) == 6 * 2 / 6


@pytest.fixture
def tokenizer(tmp_path: Path) -> str:
    path = tmp_path / "tokenizer.json"
    whole = Tokenizer(WordLevel({"?": 0, "a": 1}, "?"))
    whole.pre_tokenizer = Whitespace()
    whole.save(str(path))
    return str(path)


def test_the_tokenizer_of_a_file(tokenizer: str) -> None:
    assert load_tokenizer(tokenizer)("a b c") == 3
    measure = measure_of(TokensConfig(tokenizer=tokenizer, sample=1, chars_per_token=99))
    assert measure is not None
    assert measure.tokens(["a b", "c"]) == 3


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\0\xff", b'{"version": "1.0"}'])
def test_no_tokenizer(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "broken.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(NoTokenizerError, match=r"no tokenizer can be read from .*broken.json"):
        load_tokenizer(str(path))


def test_without_the_package_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(NoTokenizerError, match=r"pip install 'sglang-exporter\[tokenizer\]'"):
        load_tokenizer(str(tmp_path / "any.json"))


def test_by_nothing() -> None:
    assert measure_of(TokensConfig(average=4100)) is None
