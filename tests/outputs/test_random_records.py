"""Random sequences of records, written in several formats, against a count of what was meant."""

import json
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglang_exporter.config import JobConfig, TokensConfig
from sglang_exporter.outputs.presets import preset
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import ERRORS, FINISHES

AVERAGE = 1000


class Meant(NamedTuple):
    """One request: it failed, or has answers, which may have a count of tokens in total."""

    identity: int
    failed: bool
    answers: int
    tokens: int | None
    prompt: int
    cut: bool

    @property
    def usage(self) -> dict[str, int] | None:
        return None if self.tokens is None else {"prompt_tokens": self.prompt, "completion_tokens": self.tokens}

    @property
    def choices(self) -> list[dict[str, Any]]:
        reason = "length" if self.cut else "stop"
        return [{"message": {"content": "text"}, "finish_reason": reason} for _ in range(self.answers)]


def batch(meant: Meant) -> dict[str, Any]:
    if meant.failed:
        body: dict[str, Any] = {"error": {"message": "no", "code": "bad_request"}}
        return {"custom_id": f"c{meant.identity}", "response": {"status_code": 400, "body": body}, "error": None}
    body = {"object": "chat.completion", "choices": meant.choices, "usage": meant.usage}
    return {"custom_id": f"c{meant.identity}", "response": {"status_code": 200, "body": body}, "error": None}


def wrapped(meant: Meant) -> dict[str, Any]:
    if meant.failed:
        return {"prompt_id": meant.identity, "response": None, "error": "ReadTimeout"}
    return {"prompt_id": meant.identity, "response": {"choices": meant.choices, "usage": meant.usage}, "error": None}


def chat(meant: Meant) -> dict[str, Any]:
    if meant.failed:
        return {"id": meant.identity, "object": "error", "message": "no"}
    return {"id": meant.identity, "object": "chat.completion", "choices": meant.choices, "usage": meant.usage}


def by_hand(meant: Meant) -> dict[str, Any]:
    if meant.failed:
        return {"idx": meant.identity, "success": False}
    reasons = ["max_tokens" if meant.cut else "eos"] * meant.answers
    record = {"idx": meant.identity, "responses": ["text"] * meant.answers, "finish_reason": reasons}
    return {**record, "completion_tokens": -1 if meant.tokens is None else str(meant.tokens), **(meant.usage or {})}


def nemo(meant: Meant) -> dict[str, Any]:
    record: dict[str, Any] = {"_async_position": meant.identity, "generation": "text", "num_generated_tokens": -1}
    if meant.failed:
        return {**record, "error": "x"}
    if meant.tokens is not None:
        record.update(num_generated_tokens=meant.tokens, num_input_tokens=meant.prompt)
    return {**record, "finish_reason": "length" if meant.cut else "stop"}


WRITERS: dict[str, Callable[[Meant], dict[str, Any]]] = {
    "openai-batch": batch,
    "openai-wrapped": wrapped,
    "openai-chat": chat,
    "generic": by_hand,
    "nemo-skills": nemo,
}

REQUESTS = st.lists(
    st.builds(
        Meant,
        identity=st.integers(0, 12),
        failed=st.booleans(),
        answers=st.integers(1, 3),
        tokens=st.none() | st.integers(1, 200_000),
        prompt=st.integers(0, 5000),
        cut=st.booleans(),
    ),
    max_size=40,
)


def plain_count(requests: list[Meant]) -> dict[str, float]:
    good = [request for request in requests if not request.failed]
    last = {request.identity: request for request in requests}
    uncounted = sum(request.answers for request in good if request.tokens is None)
    return {
        "records": len(requests),
        "completions": sum(request.answers for request in good),
        "errors": len(requests) - len(good),
        "output_tokens": sum(request.tokens or 0 for request in good),
        "estimated": AVERAGE * uncounted,
        "input_tokens": sum(request.prompt for request in good if request.tokens is not None),
        "length": sum(request.answers for request in good if request.cut),
        "stop": sum(request.answers for request in good if not request.cut),
        "duplicates": len(requests) - len(last),
        "done": len(last),
        "succeeded": sum(not request.failed for request in last.values()),
    }


@pytest.mark.parametrize("name", WRITERS)
@settings(deadline=None)
@given(requests=REQUESTS, data=st.data())
def test_counts_are_what_was_meant(name: str, requests: list[Meant], data: st.DataObject) -> None:
    if name == "nemo-skills":
        requests = [request._replace(answers=1) for request in requests]
    reader = OutputReader(preset(name))
    state = JobState(JobConfig(files="", tokens=TokensConfig(average=AVERAGE)))
    for request in requests:
        line = json.dumps(WRITERS[name](request)).encode() + data.draw(st.sampled_from([b"", b"\r", b" "]))
        state.fold(reader.read(line), 0.0, live=False)
        state.fold(reader.read(b""), 0.0, live=False)
    counts = state.counts
    assert {
        "records": counts["records"],
        "completions": counts["completions"],
        "errors": sum(counts[error] for error in ERRORS.values()),
        "output_tokens": counts["output_tokens"],
        "estimated": counts["estimated_output_tokens"],
        "input_tokens": counts["input_tokens"],
        "length": counts[FINISHES["length"]],
        "stop": counts[FINISHES["stop"]],
        "duplicates": counts["duplicates"],
        "done": state.done,
        "succeeded": state.succeeded,
    } == plain_count(requests)


@settings(deadline=None)
@given(
    lines=st.lists(
        st.binary(max_size=60) | st.sampled_from([b"{", b"[", b"]", b"}", b'{"id":1}', b'{"id":"', b"data:"])
    )
)
def test_no_bytes_crash_the_reader(lines: list[bytes]) -> None:
    reader = OutputReader()
    state = JobState(JobConfig(files=""))
    for line in lines:
        state.fold(reader.read(line), 0.0, live=True)
    state.fold(reader.finish(b"{") or [], 0.0, live=True)
    assert state.counts["records"] >= 0


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["usage", "type"]), inner, max_size=2),
    max_leaves=6,
)
KEYS = (
    "choices",
    "usage",
    "response",
    "error",
    "id",
    "finish_reason",
    "meta_info",
    "conversations",
    "responses",
    "text",
)


@settings(deadline=None)
@given(records=st.lists(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=4), max_size=5))
def test_no_shape_of_a_record_crashes_the_reader(records: list[dict[str, Any]]) -> None:
    reader = OutputReader()
    state = JobState(JobConfig(files=""))
    for record in records:
        told = reader.read(json.dumps(record).encode())
        assert not any(each.malformed for each in told if not each.withdrawn)
        state.fold(told, 0.0, live=True)
    assert state.counts["records"] + state.counts["skipped_records"] == len(records)
