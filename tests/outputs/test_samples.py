"""Every sample of `samples/` against its `.expected.json`, whose numbers were worked out by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from outputs.files import read_file, standing
from sglang_exporter.config import JobConfig, TokensConfig
from sglang_exporter.outputs.identity import find_name
from sglang_exporter.outputs.paths import compile_path
from sglang_exporter.outputs.presets import preset, schemes
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.scheme import listed
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import ERRORS, FINISHES

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.expected.json"))
SUMMARIES = ("bench-serving", "bench-offline-throughput")
"""Their latency is the duration of a run of many requests, and is in no request's latency."""


Sample = tuple[Path, dict[str, Any]]

COUNTED = (
    "records",
    "skipped",
    "malformed",
    "duplicates",
    "completions",
    "errors",
    "output_tokens",
    "output_tokens_missing",
    "error_output_tokens",
    "input_tokens",
    "finish_reasons",
    "output_tokens_with_average_4100",
)


def described(path: Path) -> Sample:
    description = json.loads(path.read_text())
    return path.with_name(description["file"]), description["expect"]


def name(path: Path) -> str:
    return path.name.removesuffix(".expected.json")


@pytest.fixture(name="sample", params=SAMPLES, ids=name)
def _sample(request: pytest.FixtureRequest) -> Sample:
    return described(request.param)


@pytest.fixture(
    name="lines_sample", params=[path for path in SAMPLES if described(path)[0].suffix == ".jsonl"], ids=name
)
def _lines_sample(request: pytest.FixtureRequest) -> Sample:
    return described(request.param)


def folded(records: list[Record]) -> JobState:
    state = JobState(JobConfig(files="", tokens=TokensConfig(average=4100)))
    state.fold(records, 0.0, live=False)
    return state


def test_the_preset_is_found(sample: Sample) -> None:
    path, expect = sample
    reader = OutputReader()
    records = read_file(path, reader)
    assert reader.preset == expect["preset"]
    assert {record.live for record in standing(records)} == {expect["live"]}


def test_the_job_counts_what_is_there(sample: Sample) -> None:
    path, expect = sample
    counts = folded(read_file(path, OutputReader())).counts
    assert {
        "records": counts["records"],
        "skipped": counts["skipped_records"],
        "malformed": counts["malformed_lines"],
        "duplicates": counts["duplicates"],
        "completions": counts["completions"],
        "errors": sum(counts[name] for name in ERRORS.values()),
        "output_tokens": counts["output_tokens"],
        "output_tokens_missing": counts["uncounted"],
        "error_output_tokens": counts["failed_output_tokens"],
        "input_tokens": counts["input_tokens"],
        "finish_reasons": {reason: counts[name] for reason, name in FINISHES.items() if counts[name]},
        "output_tokens_with_average_4100": counts["output_tokens"] + counts["estimated_output_tokens"],
    } == {key: expect[key] for key in COUNTED}


def test_latencies_are_those_of_good_requests(sample: Sample) -> None:
    path, expect = sample
    total = folded(read_file(path, OutputReader())).counts["latencies.sum"]
    expected = 0.0 if path.stem in SUMMARIES else expect.get("latency_seconds", total)
    assert total == pytest.approx(expected)


def test_ids_are_good_or_failed_by_their_last_record(sample: Sample) -> None:
    path, expect = sample
    records = [record for record in standing(read_file(path, OutputReader())) if not record.skipped]
    last = {record.key: record for record in records if record.key is not None}
    good = sum(record.completions > 0 or not record.errors for record in last.values())
    if expect.get("unique_ids") is None:
        assert not last
    else:
        wanted = (expect["unique_ids"], expect["unique_ok"], expect["unique_failed"])
        assert (len(last), good, len(last) - good) == wanted


def test_a_preset_says_where_the_model_is(sample: Sample) -> None:
    path, expect = sample
    if "models" in expect:
        records = [json.loads(line) for line in path.read_bytes().splitlines()]
        places = [compile_path(text) for text in listed(schemes()[expect["preset"]].model)]
        assert {find_name(record, places) for record in records} - {None} == set(expect["models"])


def test_a_sample_has_no_glued_or_half_lines(sample: Sample) -> None:
    path, expect = sample
    assert (expect["glued_lines"], expect["partial_tail"]) == (0, 0)
    reader = OutputReader()
    *lines, tail = path.read_bytes().split(b"\n")
    for line in lines:
        reader.read(line)
    assert reader.finish(tail) is not None


def test_what_a_line_looks_like_to_msgspec_does_not_matter(lines_sample: Sample) -> None:
    """A NaN beside the fields makes msgspec refuse the line: read the long way, it counts the same."""
    path, expect = lines_sample
    lines = path.read_bytes().splitlines()
    spoilt = [line.replace(b"{", b'{"nan": NaN, ', 1) for line in lines]
    plain, long_way = (OutputReader(preset(expect["preset"])) for _ in range(2))
    for line, other in zip(lines, spoilt, strict=True):
        assert plain.read(line) == long_way.read(other)


def test_any_first_records_settle_the_same_preset(lines_sample: Sample) -> None:
    """From the second voting record on; a lone chunk, control record or error says too little."""
    path, expect = lines_sample
    reader = OutputReader()
    wrong = 0
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        reader.read(line)
        wrong += number > 1 and reader.preset != expect["preset"]
    assert wrong == 0
