"""What the daemon says once in its log of a data set that lacks something."""

import json
from pathlib import Path

import pytest

from support.exporter import Exporter, pick

MESSAGE = "no record has a token count, and nothing estimates one"


@pytest.mark.parametrize(
    ("record", "flags", "times"),
    [
        ({"prompt": "p", "response": "r"}, (), 1),
        ({"prompt": "p", "response": "r"}, ("--average-tokens", "100"), 0),
        ({"prompt": "p", "response": "r", "completion_tokens": 5}, (), 0),
    ],
)
def test_records_without_token_counts(
    tmp_path: Path, record: dict[str, object], flags: tuple[str, ...], times: int
) -> None:
    outputs = tmp_path / "out.jsonl"
    outputs.write_text(f"{json.dumps(record)}\n" * 30)
    with Exporter(tmp_path, "--outputs", outputs, *flags) as exporter:
        exporter.page_when(lambda page: pick(page, "sglang_job_records_total") == 30, "the history is read")
        with outputs.open("a") as file:
            file.write(f"{json.dumps(record)}\n" * 30)
        exporter.page_when(lambda page: pick(page, "sglang_job_records_total") == 60, "more is read")
    assert exporter.log.read_text().count(MESSAGE) == times
