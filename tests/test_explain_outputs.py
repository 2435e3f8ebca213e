"""`explain` on output files: the preset, the paths that matched, what records count as, what is missing."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from sglang_exporter.cli import main
from support.servers import access, decode

SAMPLES = Path(__file__).parent / "outputs" / "samples"


def said(capsys: pytest.CaptureFixture[str], path: Path, form: str = "text", status: int = 0) -> list[str]:
    assert main(["explain", str(path), "--format", form]) == status
    return capsys.readouterr().out.splitlines()


def written(path: Path, *records: object) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return path


def test_the_preset_its_paths_and_each_record(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, SAMPLES / "openai-wrapped.jsonl") == [
        "output file, read by the preset openai-wrapped",
        "        error          error, in 1 of 5",
        (
            "        error          null(response)|null(raw_response)|null(completion)|null(output)|null(result)"
            "|null(api_response)|null(body)|null(raw), in 1 of 5"
        ),
        "        completions    response.choices, in 4 of 5",
        "        output_tokens  response.usage.completion_tokens, in 4 of 5",
        "        input_tokens   response.usage.prompt_tokens, in 4 of 5",
        "        finish_reason  response.choices[].finish_reason, in 4 of 5",
        "        latency        latency_s, in 5 of 5",
        "        timestamp      timestamp, in 5 of 5",
        "        timestamp      response.created, in 4 of 5",
        "        id             prompt_id, in 5 of 5",
        "        text           response.choices[].message.content, in 4 of 5",
        "     1  1 completion, 3,901 tokens, 210 prompt tokens, stop, 61.5 s",
        "     2  1 completion, 8,192 tokens, 190 prompt tokens, length, 120.25 s",
        "     3  1 failed: timeout",
        "     4  1 completion, 4,300 tokens, 205 prompt tokens, stop, 70 s",
        "     5  1 completion, 4,007 tokens, 199 prompt tokens, stop, 66.25 s",
        "5 records, 4 completions, 1 failed requests, 0 skipped, 0 malformed",
    ]


@pytest.mark.parametrize(
    ("sample", "rows"),
    [
        ("plain.jsonl", ["3 completions without a token count: tokens.average", "no id: a record that is written"]),
        ("specforge-regen.jsonl", ["     4  skipped: left out by the job, and done"]),
        ("sglang-generate.jsonl", ["     4  1 failed: abort, after 37 tokens", "     3  1 completion, 100 tokens"]),
        ("sglang-metrics-export.jsonl", ["     4  skipped: no request", "4 of them cached"]),
        ("guidellm.json", ["output file, read by the preset guidellm", "such a file is written in one go"]),
        ("bench-serving.jsonl", ["298 completions, 152,000 tokens", "3 records, 300 completions, 3 failed requests"]),
    ],
)
def test_what_is_said_of_samples(capsys: pytest.CaptureFixture[str], sample: str, rows: list[str]) -> None:
    text = said(capsys, SAMPLES / sample)
    assert [row for row in rows if not any(row in line for line in text)] == []


def test_rows_for_programs(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = written(tmp_path / "a.jsonl", {"id": 1, "response": "hunter2", "completion_tokens": 5, "latency": 2})
    path.write_text(path.read_text() + '{"id": 2, "error": "timeout"}\nTraceback\n{"type": "summary"}')
    rows: list[dict[str, Any]] = [json.loads(line) for line in said(capsys, path, "jsonl")]
    assert rows[0] == {
        "line": 1,
        "kind": "record",
        "preset": "generic",
        "completions": 1,
        "errors": {},
        "output_tokens": 5,
        "uncounted": 0,
        "failed_output_tokens": 0,
        "input_tokens": None,
        "cached_tokens": None,
        "finish_reasons": {"unknown": 1},
        "latency_seconds": [2],
        "timestamp_seconds": None,
        "has_id": True,
    }
    assert (rows[1]["errors"], rows[1]["completions"]) == ({"timeout": 1}, 0)
    assert [(row["line"], row["kind"]) for row in rows[2:]] == [(3, "malformed"), (4, "skipped")]


def test_an_indented_document(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    path.write_text(json.dumps([{"id": n, "response": "r", "completion_tokens": n} for n in (5, 6)], indent=2))
    text = said(capsys, path)
    assert "        output_tokens  completion_tokens, in 2 of 2" in text
    assert "2 records, 2 completions, 0 failed requests, 0 skipped, 0 malformed" in text


def test_many_records_are_summed_up(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl.gz"
    lines = "".join(json.dumps({"id": n, "response": "r", "completion_tokens": 7}) + "\n" for n in range(500))
    path.write_bytes(gzip.compress(lines.encode()))
    text = said(capsys, path)
    assert "        and 480 more" in text
    assert text[-1] == "500 records, 500 completions, 0 failed requests, 0 skipped, 0 malformed"
    assert len(text) < 40


def test_a_preset_that_shows_late_tells_the_first_records_too(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    errors = [{"prompt_id": n, "response": None, "error": "timeout"} for n in range(30)]
    good = {"prompt_id": 31, "response": {"choices": [{"finish_reason": "stop"}], "usage": {"completion_tokens": 5}}}
    text = said(capsys, written(tmp_path / "late.jsonl", *errors, good))
    assert text[0] == "output file, read by the preset openai-wrapped"
    assert "31 records, 1 completions, 30 failed requests, 0 skipped, 0 malformed" in text


@pytest.mark.parametrize(
    "line",
    [
        decode("10:00:00"),
        json.dumps({"log": access("10:00:00") + "\n", "stream": "stdout", "time": "2026-11-29T10:00:00Z"}),
        json.dumps({"log": "Downloading shards\n", "stream": "stderr", "time": "2026-11-29T10:00:00Z"}),
    ],
)
def test_a_log_is_no_output_file(capsys: pytest.CaptureFixture[str], tmp_path: Path, line: str) -> None:
    path = tmp_path / "server.log"
    path.write_text(f"{line}\n" * 25 + f"{decode('10:00:05')}\n")
    assert any("requests run" in row for row in said(capsys, path))


def test_an_output_file_whose_only_record_is_damaged_gets_an_answer(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "raw.jsonl"
    path.write_text('{"prompt_id": 1, "respo\n')
    text = said(capsys, path)
    assert "     1  malformed: nothing could be read from it" in text
    assert text[-1] == "0 records, 0 completions, 0 failed requests, 0 skipped, 1 malformed"


@pytest.mark.parametrize("text", ["", "\n\n", "hello\n", "\0" * 30])
def test_what_is_neither(capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str) -> None:
    path = tmp_path / "text"
    path.write_text(text)
    assert said(capsys, path, status=1) == []
