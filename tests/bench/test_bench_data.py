"""The data to measure with are what they are said to be, so that what is measured is the work of a real log."""

import json
from collections import Counter
from pathlib import Path

import pytest

from bench import data
from sglang_exporter.serverlog.decoder import LogDecoder


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "FOLDER", tmp_path)


def test_of_a_log_a_third_are_decode_lines_and_half_are_access_lines() -> None:
    lines = data.log(1).read_bytes().splitlines()
    kinds: Counter[str] = Counter()
    unrecognised: Counter[str] = Counter()
    decoder = LogDecoder(kinds, unrecognised)
    for line in lines:
        list(decoder.decode(line))
    shares = {kind: kinds[kind] / len(lines) for kind in ("decode", "prefill", "access")}
    assert shares == pytest.approx({"decode": 0.35, "prefill": 0.1, "access": 0.5}, abs=0.02)
    assert not unrecognised


def test_a_record_of_an_output_file_has_sixteen_kibibytes() -> None:
    records = data.outputs(1).read_bytes().splitlines()
    assert all(json.loads(record)["usage"]["completion_tokens"] > 0 for record in records)
    assert 15 << 10 < sum(map(len, records)) / len(records) < 24 << 10
