"""Formats of which `samples/` has no file: a few records of each, and what they count as."""

import json
from collections import Counter
from typing import Any, NamedTuple

import pytest

from outputs.files import read_bytes, standing
from sglang_exporter.outputs.presets import preset
from sglang_exporter.outputs.reader import OutputReader

META = {"completion_tokens": 410, "prompt_tokens": 33, "cached_tokens": 4, "e2e_latency": 5.5}


class Case(NamedTuple):
    preset: str
    records: list[dict[str, Any] | str]
    completions: int
    errors: int = 0
    output_tokens: float = 0
    missing: int = 0
    input_tokens: float = 0
    skipped: int = 0
    finish: dict[str, int] = {}  # noqa: RUF012 - never changed


def usage(completion: int, prompt: int) -> dict[str, int]:
    return {"completion_tokens": completion, "prompt_tokens": prompt}


def logged(event: str, rid: str, **out: Any) -> str:  # noqa: ANN401 - any JSON
    record = {"timestamp": "2026-11-29T15:00:00.000001", "event": event, "rid": rid, "obj": {"text": "p"}}
    return "[2026-11-29 15:00:00] " + json.dumps({**record, **({"out": {"text": "a", **out}} if out else {})})


def turns(*roles: str) -> list[dict[str, str]]:
    return [{"role": role, "content": "words here"} for role in roles]


CASES = [
    Case(
        "generic",
        [
            {
                "prompt_id": "p1",
                "status": "ok",
                "error": None,
                "responses": [
                    {"choices": [{"finish_reason": "tool_calls"}], "usage": usage(40, 100)},
                    {"choices": [{"finish_reason": "stop"}], "usage": usage(50, 150)},
                ],
            },
            {"prompt_id": "p2", "status": "error", "error": "HTTP 500", "responses": []},
            {
                "ts": 1795968000.0,
                "model": "m",
                "prompt": "p",
                "completion": "c",
                "completion_tokens": 500,
                "duration_ms": 9,
            },
            {"seq": 4, "text": "t", "_usage": usage(300, 100)},
        ],
        completions=4,
        errors=1,
        output_tokens=890,
        input_tokens=350,
        finish={"tool_calls": 1, "stop": 1, "unknown": 2},
    ),
    Case(
        "sglang-request-log",
        [
            logged("request.received", "q1"),
            logged("request.finished", "q1", meta_info={**META, "finish_reason": {"type": "stop", "matched": 2}}),
            logged("request.finished", "q2", meta_info={**META, "finish_reason": {"type": "length", "length": 9}}),
            logged("request.finished", "q3", meta_info={**META, "finish_reason": {"type": "abort"}}),
        ],
        completions=2,
        errors=1,
        output_tokens=820,
        input_tokens=66,
        skipped=1,
        finish={"stop": 1, "length": 1},
    ),
    Case(
        "bench-serving",
        [
            {
                "completed": 100,
                "failed": 0,
                "total_input_tokens": 12,
                "total_output_tokens": 25,
                "request_throughput": 4.8,
            },
            {
                "completed": 97,
                "failed": 3,
                "total_input_tokens": 11,
                "total_output_tokens": 24,
                "request_throughput": 4.4,
            },
        ],
        completions=197,
        errors=3,
        output_tokens=49,
        input_tokens=23,
    ),
    Case(
        "bench-one-batch-server",
        [
            {"run_name": "default", "batch_size": 16, "input_len": 1024, "output_len": 8, "latency": 1.25},
            {"run_name": "d", "batch_size": 1, "input_len": 512, "output_len": 256, "total_output_tokens": 200},
        ],
        completions=17,
        output_tokens=328,
        input_tokens=16896,
    ),
    Case(
        "modelopt-generate",
        [
            {"conversation_id": 0, "conversations": turns("user", "assistant")},
            {"conversation_id": 3, "conversations": turns("user", "assistant", "user", "assistant"), "truncated": True},
            {"conversation_id": 4, "conversations": None},
            {"finished": True},
        ],
        completions=3,
        errors=1,
        missing=3,
        skipped=1,
        finish={"unknown": 2, "length": 1},
    ),
    Case(
        "nemo-skills",
        [
            {
                "_async_position": 2,
                "generation": "g",
                "num_generated_tokens": 1500,
                "num_input_tokens": 200,
                "finish_reason": "stop",
            },
            {"_async_position": 0, "generation": "g", "num_generated_tokens": -1, "num_input_tokens": 9},
            {"_async_position": 1, "generation": "", "num_generated_tokens": 0, "error": "timed out"},
        ],
        completions=2,
        errors=1,
        output_tokens=1500,
        missing=1,
        input_tokens=209,
        finish={"stop": 1, "unknown": 1},
    ),
    Case(
        "open-r1",
        [
            {
                "uuid": "u1",
                "generations": ["a", "b"],
                "finish_reasons": ["stop", "length"],
                "api_metadata": [usage(1000, 50), usage(16384, 50)],
            },
            {
                "uuid": "u2",
                "generations": ["a", None],
                "finish_reasons": ["stop"] * 2,
                "api_metadata": [usage(5, 1), usage(6, 1)],
            },
        ],
        completions=3,
        errors=1,
        output_tokens=17389,
        input_tokens=102,
        finish={"stop": 2, "length": 1},
    ),
    Case(
        "distilabel",
        [
            {
                "generation": "a",
                "distilabel_metadata": {"statistics_text_0": {"input_tokens": 12, "output_tokens": 200}},
            },
            {
                "generation": ["a", None],
                "distilabel_metadata": [
                    {"statistics_text_0": {"input_tokens": 10, "output_tokens": 100}},
                    {"statistics_text_0": {"input_tokens": 10, "output_tokens": 150}},
                ],
            },
            {"generation": None, "distilabel_metadata": {}},
        ],
        completions=2,
        errors=2,
        output_tokens=300,
        input_tokens=32,
        finish={"unknown": 2},
    ),
    Case(
        "lm-eval-samples",
        [
            {
                "doc_id": number,
                "resps": [[["-1.2", "True"]], [["-3.4", "False"]]],
                "filtered_resps": ["4"],
                "filter": "none",
            }
            for number in range(3)
        ],
        completions=3,
        finish={"unknown": 3},
    ),
    Case(
        "opencompass-tmp",
        [
            {"idx": "0", "origin_prompt": [{"role": "HUMAN", "prompt": "p"}], "prediction": "a"},
            {"idx": "1", "origin_prompt": "p", "prediction": "b", "res_length": 350, "all_input_length": 900},
            {"idx": "2", "origin_prompt": "p", "prediction": ""},
        ],
        completions=3,
        output_tokens=350,
        missing=2,
        input_tokens=900,
        finish={"unknown": 3},
    ),
    Case(
        "verl-rollout",
        [{"input": "p", "output": "a", "gts": "4", "score": 1.0, "step": 10}] * 3,
        completions=3,
        missing=3,
        finish={"unknown": 3},
    ),
    Case(
        "litellm-log",
        [
            {
                "id": "l1",
                "call_type": "acompletion",
                "startTime": 1.0,
                "completion_tokens": 310,
                "prompt_tokens": 44,
                "response": {"choices": [{"finish_reason": "stop"}]},
            },
            {"id": "l2", "call_type": "acompletion", "status": "failure", "startTime": 1.0, "completion_tokens": 0},
            {"id": "l3", "call_type": "aembedding", "startTime": 1.0, "completion_tokens": 0, "prompt_tokens": 9},
        ],
        completions=1,
        errors=1,
        output_tokens=310,
        input_tokens=44,
        skipped=1,
        finish={"stop": 1},
    ),
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.preset)
def test_a_format_counts_as(case: Case) -> None:
    reader = OutputReader()
    lines = [record if isinstance(record, str) else json.dumps(record) for record in case.records]
    records = standing(read_bytes("\n".join(lines).encode(), reader))
    assert reader.preset == case.preset
    told = Case(
        case.preset,
        case.records,
        completions=sum(record.completions for record in records),
        errors=sum(number for record in records for _, number in record.errors),
        output_tokens=sum(record.output_tokens for record in records),
        missing=sum(record.uncounted for record in records),
        input_tokens=sum(record.input_tokens or 0 for record in records),
        skipped=sum(record.skipped for record in records),
        finish=dict(Counter(reason for record in records for reason in record.finish_reasons)),
    )
    assert told == case


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.preset)
def test_a_format_that_is_given_counts_the_same(case: Case) -> None:
    """Only then the first lines are decoded by the mapping's own type too."""
    lines = [record if isinstance(record, str) else json.dumps(record) for record in case.records]
    text = "\n".join(lines).encode()
    assert read_bytes(text, OutputReader(preset(case.preset))) == standing(read_bytes(text, OutputReader()))
