"""The data to measure with are what they are said to be, so that what is measured is the work of a real log."""

import json
import re
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


def test_each_record_has_an_id_of_its_own() -> None:
    records = [json.loads(record) for record in data.outputs(20).read_bytes().splitlines()]
    assert len({record["id"] for record in records}) == len(records)


def test_what_records_say_differs() -> None:
    records = [json.loads(record) for record in data.outputs(20).read_bytes().splitlines()]
    said = {(record["usage"]["completion_tokens"], record["latency"]) for record in records}
    assert len(said) > 0.99 * len(records)
    assert {record["finish_reason"] for record in records} == {"stop", "length"}
    assert len({record["response"] for record in records}) > 0.4 * len(records)


def test_the_time_of_a_log_goes_on_and_its_ranks_are_eight() -> None:
    heads = re.findall(rb"^\[(\S+ \S+?)(?: (TP\d))?\] ", data.log(2).read_bytes(), re.MULTILINE)
    times = [time for time, _ in heads]
    assert times == sorted(times)
    assert len(times) / len(set(times)) == pytest.approx(30, abs=2)
    assert {rank for _, rank in heads} - {b""} == {b"TP%d" % rank for rank in range(8)}


def test_lines_of_a_log_differ_by_more_than_the_time() -> None:
    decodes = re.findall(rb"Decode batch.*", data.log(2).read_bytes())
    assert len(set(decodes)) > 0.8 * len(decodes)
