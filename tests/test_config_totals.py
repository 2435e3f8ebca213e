"""What a configuration says of totals and of tokens: as it is meant, or refused with its place."""

from pathlib import Path

import pytest

from sglang_exporter.config import JobConfig, TokensConfig, TotalConfig
from sglang_exporter.config_file import ConfigError, load_config

GOOD = {
    "total: 50000": JobConfig(files="x", total=50000),
    "total: {lines: '/p/{dataset}.jsonl', times: 4}": JobConfig(
        files="x", total=TotalConfig(lines="/p/{dataset}.jsonl", times=4)
    ),
    "total: {lines: [a, b]}": JobConfig(files="x", total=TotalConfig(lines=["a", "b"])),
    "total: {json: m.json, path: 'counts.{dataset}'}": JobConfig(
        files="x", total=TotalConfig(json="m.json", path="counts.{dataset}")
    ),
    "tokens: {average: auto, chars_per_token: 3.8}": JobConfig(
        files="x", tokens=TokensConfig(average="auto", chars_per_token=3.8)
    ),
}
BAD = {
    "total: 0": "jobs[0].total: ",
    "total: {}": "jobs[0].total: want either lines or json",
    "total: {lines: a, json: b}": "jobs[0].total: want either lines or json",
    "total: {json: a, times: 2}": "jobs[0].total: times belongs to lines",
    "total: {lines: a, path: b}": "jobs[0].total: path belongs to json",
    "total: {lines: ''}": "jobs[0].total.lines: want the name of a file",
    "total: {lines: []}": "jobs[0].total.lines: want the name of a file",
    "total: {json: a, path: 'b[]'}": "jobs[0].total.path: not a path to one value: 'b[]'",
    "total: {json: a, path: 'b..c'}": "jobs[0].total.path: not a path: 'b..c'",
    "total: {line: a}": "jobs[0].total.line: ",
    "tokens: {average: -1}": "jobs[0].tokens.average: ",
    "tokens: {chars_per_token: 0}": "jobs[0].tokens.chars_per_token: ",
    "tokens: {sample: 0}": "jobs[0].tokens.sample: ",
    "tokens: {tokenizer: /nowhere/tokenizer.json}": "jobs[0].tokens.tokenizer: no tokenizer can be read from /nowhere/",
    "unit: lines": "jobs[0].unit: ",
}


def load(folder: Path, text: str) -> JobConfig:
    path = folder / "config.yaml"
    path.write_text(f"jobs:\n  - files: x\n    {text}\n")
    (job,) = load_config(path).jobs
    return job


@pytest.mark.parametrize("text", GOOD)
def test_a_good_one(text: str, tmp_path: Path) -> None:
    assert load(tmp_path, text) == GOOD[text]


@pytest.mark.parametrize("text", BAD)
def test_a_bad_one_is_refused_with_its_place(text: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as refused:
        load(tmp_path, text)
    assert str(refused.value).startswith(f"{tmp_path}/config.yaml:3: {BAD[text]}")
