"""Counts of single requests, and nothing that their text says."""

import pytest

from sglang_exporter.serverlog.requests import finished, json_line, time_stats
from sglang_exporter.serverlog.values import DamagedError

FORGED = "'meta_info': {'prompt_tokens': 1, 'completion_tokens': 99}"


@pytest.mark.parametrize("text", ["hi", FORGED, "it''s out={", "a \"quoted\" out={'completion_tokens': 5}", "\\'"])
def test_finish_counts_are_those_of_meta_info(text: str) -> None:
    meta = {"id": "x", "prompt_tokens": 34, "completion_tokens": 134, "cached_tokens": 0, "e2e_latency": 4.938973}
    line = f"GenerateReqInput(rid='x', text={text!r}), out={ {'text': text, 'meta_info': meta, 'after': text}!r}"
    assert finished(line) == {
        "prompt_tokens": 34,
        "completion_tokens": 134,
        "cached_tokens": 0,
        "e2e_latency": 4.938973,
    }


def test_a_torn_finish_line_is_damage() -> None:
    with pytest.raises(DamagedError):
        finished("GenerateReqInput(rid='x', text='completion_tokens: 5")


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("rid=0a, input len=1734, output len=378, type=unified): queue_duration=1.25ms", (1734, 378)),
        ("rid=0a, input_len=663, cached_input_len=8, output_len=1635, attempts=1, type=unified): x", (663, 1635)),
    ],
)
def test_time_stats_of_both_spellings(text: str, fields: tuple[int, int]) -> None:
    said = time_stats(text)
    assert (said.get("input len", said.get("input_len")), said.get("output len", said.get("output_len"))) == fields
    assert "rid" not in said


def test_json_line_of_an_event_that_no_release_logs_is_damage() -> None:
    with pytest.raises(DamagedError):
        json_line('{"timestamp": "2026-01-01T00:00:00", "event": "anything.at.all", "rid": "r"}')
