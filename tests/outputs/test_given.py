"""Formats as users write them: a name, or a mapping that may change a preset."""

import json
from typing import Any

import pytest

from sglang_exporter.outputs.given import Given, compile_format
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.steps import SchemeError

MINE: dict[str, object] = {
    "preset": "generic",
    "completions": "answers",
    "output_tokens": ["stats.out", "answers[].n_tok"],
    "error": ["state = failed", "code >= 400"],
    "id": "row",
}


def read(given: Given, record: dict[str, Any]) -> Record:
    (told,) = OutputReader(compile_format(given)).read(json.dumps(record).encode())
    return told


def test_own_keys_replace_those_of_the_preset() -> None:
    record = {"row": 1, "answers": [{"n_tok": 5}, {"n_tok": 7}, None], "usage": {"prompt_tokens": 9}, "error": "no"}
    told = read(MINE, record)
    assert (told.completions, told.output_tokens, told.lengths, told.input_tokens) == (2, 12, (5, 7), 9)
    assert told.errors == (("null_output", 1),)
    assert told.key is not None


@pytest.mark.parametrize("record", [{"state": "failed"}, {"code": 500, "answers": [{"n_tok": 5}]}])
def test_own_conditions_for_errors(record: dict[str, Any]) -> None:
    told = read(MINE, record)
    assert (told.completions, sum(number for _, number in told.errors)) == (0, 1)


def test_without_a_preset_there_are_only_the_keys_written() -> None:
    told = read({"output_tokens": "n"}, {"n": 3, "usage": {"completion_tokens": 9}, "id": 4, "error": "no"})
    assert (told.completions, told.output_tokens, told.key, told.errors) == (1, 3, None, ())


def test_an_empty_list_switches_a_key_off() -> None:
    assert read({"preset": "generic", "id": []}, {"id": 4}).key is None


def test_a_downloaded_batch_is_not_live() -> None:
    assert not read({"preset": "openai-batch", "live": False}, {"custom_id": "a", "response": None}).live


def test_auto_is_left_to_the_first_records() -> None:
    assert compile_format("auto") is None


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ("generics", "no such format: 'generics'; known are auto, openai-batch, "),
        ({"preset": "generics"}, "preset: no such format: 'generics'; known are openai-batch, "),
        ({"preset": 3}, "preset: no such format: 3; "),
        ({"output_token": "n"}, "output_token: no such key; known are preset, detect, "),
        ({"output_tokens": 3}, "output_tokens: Expected `str | array`, got `int`"),
        ({"output_tokens": "a..b"}, "output_tokens: not a path: 'a..b'"),
        ({"error": ["a >= b"]}, "error: not a condition: "),
        ({"id_scope": "host"}, "id_scope: Invalid enum value 'host'"),
    ],
)
def test_what_is_no_format_is_refused_with_its_key(given: Given, problem: str) -> None:
    with pytest.raises(SchemeError) as raised:
        compile_format(given)
    assert str(raised.value).startswith(problem)
