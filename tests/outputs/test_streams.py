"""Streams: many lines a request, token counts that grow."""

import json
from collections import Counter
from typing import Any

from outputs.files import read_bytes
from sglang_exporter.config import JobConfig, TokensConfig
from sglang_exporter.outputs.presets import preset
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState


def chunk(key: str, finish: str | None = None, usage: int | None = None, **more: object) -> dict[str, Any]:
    return {
        "id": key,
        "object": "chat.completion.chunk",
        "choices": [{"index": 0, "delta": {"content": "t"}, "finish_reason": finish}],
        "usage": usage
        and {"prompt_tokens": 7, "completion_tokens": usage, "prompt_tokens_details": {"cached_tokens": 3}},
        **more,
    }


def last(key: str, usage: int) -> dict[str, Any]:
    return {**chunk(key, usage=usage), "choices": []}


def read(*chunks: dict[str, Any]) -> list[Record]:
    lines = [b"data: " + json.dumps(each).encode() for each in chunks]
    return read_bytes(b"\n\n".join([*lines, b"data: [DONE]", b""]), OutputReader(preset("openai-stream")))


def folded(records: list[Record]) -> JobState:
    state = JobState(JobConfig(files="", tokens=TokensConfig(average=100)))
    state.fold(records, 0.0, live=False)
    return state


def lengths(records: list[Record]) -> list[float]:
    return [length for record in records for length in record.lengths]


def test_interleaved_requests_are_completions_once_each() -> None:
    records = read(
        chunk("a"), chunk("b"), chunk("a", "stop"), chunk("b"), last("a", 2), chunk("b", "length"), last("b", 3)
    )
    counts = folded(records).counts
    assert (counts["records"], counts["completions"], counts["output_tokens"]) == (7, 2, 5)
    assert Counter(reason for record in records for reason in record.finish_reasons) == {"stop": 1, "length": 1}
    assert lengths(records) == [2, 3]
    assert (counts["input_tokens"], counts["cached_tokens"], counts["duplicates"]) == (14, 6, 0)


def test_cumulative_usage_in_every_chunk_counts_what_it_grows_by() -> None:
    records = read(chunk("a", usage=1), chunk("a", usage=2), chunk("a", "stop", usage=3), last("a", 3))
    assert [record.output_tokens for record in records] == [1, 1, 1, 0]
    assert [record.completions for record in records] == [0, 0, 1, 0]
    assert lengths(records) == [3]
    assert folded(records).counts["input_tokens"] == 7


def test_a_count_that_comes_after_the_end_replaces_the_estimate() -> None:
    records = read(chunk("a", "stop"), last("a", 40), chunk("b", "stop"))
    assert [record.uncounted for record in records] == [1, -1, 1]
    assert folded(records).counts["estimated_output_tokens"] == 100
    one_by_one = folded([])
    estimates = []
    for record in records:
        one_by_one.fold([record], 0.0, live=False)
        estimates.append(one_by_one.counts["estimated_output_tokens"])
    assert estimates == [100, 100, 100]


def test_a_stream_that_never_ends_is_not_done() -> None:
    state = folded(read(chunk("a", usage=1), chunk("a", usage=2)))
    assert (state.counts["output_tokens"], state.done) == (2, 0)


def test_a_stream_that_breaks_off_is_an_error_and_done() -> None:
    state = folded(read(chunk("a", usage=5), {**chunk("a"), "error": {"message": "timeout"}}))
    counts = state.counts
    assert (counts["errors.timeout"], counts["completions"], counts["output_tokens"]) == (1, 0, 5)
    assert (state.done, state.succeeded) == (1, 0)


def test_a_second_finish_reason_is_no_second_completion() -> None:
    assert sum(record.completions for record in read(chunk("a", "stop"), chunk("a", "stop"))) == 1


def test_chunks_without_an_id_stand_alone() -> None:
    nameless = {key: value for key, value in chunk("", "stop", usage=4).items() if key != "id"}
    assert [(record.completions, record.output_tokens) for record in read(nameless, nameless)] == [(1, 4), (1, 4)]


def test_a_forgotten_request_costs_no_more_memory() -> None:
    reader = OutputReader(preset("openai-stream"))
    for number in range(70_000):
        reader.read(json.dumps(chunk(str(number), usage=1)).encode())
    (latest,) = reader.read(json.dumps(chunk("69999", usage=3)).encode())
    (forgotten,) = reader.read(json.dumps(chunk("0", usage=3)).encode())
    assert (latest.output_tokens, forgotten.output_tokens) == (2, 3)
