"""Random sequences of records, written in every format, against a count of what was meant."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from outputs.formats import FORMATS, Format, Meant
from sglang_exporter.config import JobConfig, TokensConfig
from sglang_exporter.outputs.presets import preset, preset_names
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import ERRORS, FINISHES, LATENCIES, LENGTHS

AVERAGE = 1000

REQUESTS = st.lists(
    st.builds(
        Meant,
        identity=st.integers(0, 12),
        failed=st.booleans(),
        answers=st.integers(1, 3),
        tokens=st.none() | st.integers(1, 200_000),
        prompt=st.integers(0, 5000),
        cached=st.integers(0, 5000),
        cut=st.booleans(),
        seconds=st.floats(0, 59).map(lambda seconds: round(seconds, 3)),
    ),
    max_size=30,
)


def as_the_format_can_say(requests: list[Meant], form: Format) -> list[Meant]:
    """Leave out of requests what records of a format do not have."""
    return [
        request._replace(
            identity=number if form.stream else request.identity,
            failed=request.failed and form.fails,
            answers=request.answers if form.many else 1,
            tokens=(request.tokens or 7) if form.always_counted else request.tokens,
        )
        for number, request in enumerate(requests)
    ]


def plain_count(requests: list[Meant], form: Format) -> dict[str, float]:
    """Count what was meant, as far as records of the format can say it."""
    last = {request.identity: request for request in requests} if form.named else dict(enumerate(requests))
    repeated = len(requests) - len(last)
    if form.once:
        first = {request.identity: request for request in reversed(requests)}
        requests, last = list(first.values()), first
    good = [request for request in requests if not request.failed]
    bad = [request for request in requests if request.failed]
    counted = [request for request in good if form.tokens and request.tokens is not None]
    prompted = good if form.prompt_without_tokens else counted
    told = [*prompted, *bad] if form.stream and form.always_counted else prompted  # as it came, whatever came then
    answers = sum(request.answers for request in good)
    tokens = sum(request.total or 0 for request in counted)
    lost = sum(request.total or 0 for request in bad)
    reasons = answers if not form.summary else 0
    cut = sum(request.answers for request in good if request.cut) if form.reasons else 0
    return {
        "records": _lines(form, good, bad),
        "completions": answers,
        "errors": sum(request.answers if form.fails_each else 1 for request in bad),
        "output_tokens": tokens + (lost if form.stream and form.always_counted else 0),
        "failed_output_tokens": lost if form.loses_tokens else 0,
        "estimated": AVERAGE * (answers - sum(request.answers for request in counted)),
        "input_tokens": sum(r.prompt * (r.answers if form.prompt_each else 1) for r in told) if form.prompt else 0,
        "cached_tokens": sum(request.cached for request in told) if form.cached else 0,
        "lengths": 0 if form.summary else sum(request.answers for request in counted),
        "lengths_sum": 0 if form.summary else tokens,
        "latencies": len(good) if form.latency else 0,
        "latencies_sum": round(sum(request.seconds for request in good), 3) if form.latency else 0,
        "length": cut,
        "stop": reasons - cut if form.reasons else 0,
        "unknown": 0 if form.reasons else reasons,
        "duplicates": repeated,
        "done": len(last),
        "succeeded": sum(not request.failed for request in last.values()),
    }


def _lines(form: Format, good: list[Meant], bad: list[Meant]) -> int:
    return form.lines * len(good) + min(form.lines, 2) * len(bad)


def read_count(state: JobState) -> dict[str, float]:
    counts = state.counts
    return {
        "records": counts["records"],
        "completions": counts["completions"],
        "errors": sum(counts[error] for error in ERRORS.values()),
        "output_tokens": counts["output_tokens"],
        "failed_output_tokens": counts["failed_output_tokens"],
        "estimated": counts["estimated_output_tokens"],
        "input_tokens": counts["input_tokens"],
        "cached_tokens": counts["cached_tokens"],
        "lengths": sum(counts[name] for name in LENGTHS),
        "lengths_sum": counts["lengths.sum"],
        "latencies": sum(counts[name] for name in LATENCIES),
        "latencies_sum": round(counts["latencies.sum"], 3),
        "length": counts[FINISHES["length"]],
        "stop": counts[FINISHES["stop"]],
        "unknown": counts[FINISHES["unknown"]],
        "duplicates": counts["duplicates"],
        "done": state.done,
        "succeeded": state.succeeded,
    }


def test_every_preset_has_a_writer() -> None:
    assert set(FORMATS) == set(preset_names())


@pytest.mark.parametrize("name", FORMATS)
@settings(deadline=None)
@given(requests=REQUESTS, data=st.data())
def test_counts_are_what_was_meant(name: str, requests: list[Meant], data: st.DataObject) -> None:
    form = FORMATS[name]
    requests = as_the_format_can_say(requests, form)
    reader = OutputReader(preset(name))
    state = JobState(JobConfig(files="", tokens=TokensConfig(average=AVERAGE)))
    for request in requests:
        written = form.write(request)
        lines = [json.dumps(record).encode() for record in (written if isinstance(written, list) else [written])]
        lines = [line + data.draw(st.sampled_from([b"", b"\r", b" "])) for line in (*lines, b"")]
        state.fold([record for line in lines for record in reader.read(line)], 0.0, live=False)
    assert read_count(state) == plain_count(requests, form)


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
