"""The output files of the recordings against a count in plain Python.

`data/raw_responses.jsonl` is a cut with every kind of error that the recordings hold; the whole files are in
`tests/recordings`.
"""

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from outputs.files import read_bytes
from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import ERRORS, FINISHES, LENGTHS

CUT = Path(__file__).parent / "data/raw_responses.jsonl"
RECORDINGS = sorted((Path(__file__).parents[1] / "recordings").glob("*/raw_responses.jsonl.gz"))


def fails(record: dict[str, Any]) -> bool:
    return bool(record.get("error")) or record.get("status", 200) >= 400


def plain_count(text: bytes) -> dict[str, Any]:
    records = [json.loads(line) for line in text.splitlines()]
    good = [record for record in records if not fails(record)]
    usages = [record["usage"] for record in good]
    return {
        "records": len(records),
        "completions": len(good),
        "errors": len(records) - len(good),
        "output_tokens": sum(usage["completion_tokens"] for usage in usages),
        "input_tokens": sum(usage["prompt_tokens"] for usage in usages),
        "cached_tokens": sum((usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0) for usage in usages),
        "finish_reasons": Counter(record["finish_reason"] for record in good),
        "latency": pytest.approx(sum(record["latency_s"] for record in good)),
        "done": len({record["custom_id"] for record in records}),
    }


@pytest.mark.parametrize("path", [CUT, *RECORDINGS], ids=lambda path: path.parent.name)
def test_every_number_is_that_of_a_plain_count(path: Path) -> None:
    text = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    state = JobState(JobConfig(files=""))
    state.fold(read_bytes(text, OutputReader()), 0.0, live=False)
    counts = state.counts
    assert {
        "records": counts["records"],
        "completions": counts["completions"],
        "errors": sum(counts[name] for name in ERRORS.values()),
        "output_tokens": counts["output_tokens"],
        "input_tokens": counts["input_tokens"],
        "cached_tokens": counts["cached_tokens"],
        "finish_reasons": {reason: counts[name] for reason, name in FINISHES.items() if counts[name]},
        "latency": counts["latencies.sum"],
        "done": state.done,
    } == plain_count(text)
    assert sum(counts[name] for name in LENGTHS) == counts["completions"]
    assert counts["malformed_lines"] == counts["uncounted"] == counts["skipped_records"] == 0


def test_the_recordings_are_there() -> None:
    assert len(RECORDINGS) == 5


def test_each_kind_of_error_is_told_apart() -> None:
    state = JobState(JobConfig(files=""))
    state.fold(read_bytes(CUT.read_bytes(), OutputReader()), 0.0, live=False)
    assert {reason: state.counts[name] for reason, name in ERRORS.items() if state.counts[name]} == {
        "context_length": 2,
        "timeout": 3,
        "connection": 7,
        "http_4xx": 2,
    }
