"""The configuration: what is taken, and what is refused with file, line and key."""

from pathlib import Path

import pytest

from sglang_exporter.config import Config, JobConfig, ServerConfig, Thresholds, TokensConfig
from sglang_exporter.config_file import ConfigError, load_config

GOOD = """\
servers:
  - logs: /logs/{server}/server.log
    profile: batch
    thresholds: {kv_cache_saturated: 0.95}
    timezone: Europe/Berlin
  - logs: [/var/log/a.log, /var/log/b.log]
    name: pair
jobs:
  - files: /data/{dataset}/raw_responses*.jsonl
    total: 88000
    deadline: 2026-12-01 08:00+01:00
    tokens: {average: 4100}
  - files: out.jsonl
    name: 2025-06-06
    unit: completions
    tokens: {average: auto}
    format: openai-chat
windows: [90s, 1h]
stale_after: 45
"""

BAD = {
    "servers:\n  - logs: a.log\n    profil: batch\n": ":3: servers[0].profil: ",
    "servers:\n  - profile: batch\n": ":2: servers[0]: ",
    "servers:\n  - logs: a.log\n    profile: fast\n": ":3: servers[0].profile: ",
    "servers:\n  - logs: a.log\n    thresholds:\n      kv_cache_saturated: 90\n": (
        ":4: servers[0].thresholds.kv_cache_saturated: "
    ),
    "servers:\n  - logs: a.log\n    timezone: Moon/Tycho\n": ":3: servers[0].timezone: unknown time zone",
    "servers: a.log\n": ":1: servers: ",
    "jobs:\n- files: a\n- files: b\n  total: many\n": ":4: jobs[1].total: ",
    "jobs:\n- files: a\n  format: openai-chatt\n": ":3: jobs[0].format: ",
    "jobs:\n- files: a\n  format:\n    preset: generic\n    ids: row\n": ":5: jobs[0].format.ids: no such key",
    "jobs:\n- files: a\n  format:\n    preset: generics\n": ":4: jobs[0].format.preset: no such format",
    "jobs:\n- files: a\n  format:\n    output_tokens: [a, b..c]\n": ":4: jobs[0].format.output_tokens: not a path",
    "jobs:\n- files: a\n  format: [generic]\n": ":3: jobs[0].format: ",
    "windows: [2m, 5 minutes]\n": ":1: windows[1]: ",
    "windows:\n  - 2m\n  - 0s\n": ":3: windows[1]: ",
    "stale_after: 30\nstale_after: 60\n": ":2: stale_after: the key is there twice",
    "servers:\n  - logs: a\n    logs: b\n": ":3: logs: the key is there twice",
    "servers: [\n": ":2: ",
    "- a\n": ":1: the file: ",
    "stale_after: -1\n": ":1: stale_after: ",
    "servers:\n  - logs: !foo bar\n": ":2: ",
    "servers:\n  - logs: !!int many\n": ": ",
    "servers:\n  - logs: !!timestamp soon\n": ": ",
    "servers:\n  - logs: a\n    thresholds: {kv_cache_full: 0.9}\n": ":3: servers[0].thresholds.kv_cache_full: ",
    "servers:\n  - logs: a\n    thresholds:\n      ranks_unbalanced: 0.5\n": (
        ":4: servers[0].thresholds.ranks_unbalanced: Expected `float` > 1"
    ),
    "servers:\n  - logs: a\n    thresholds:\n      http_errors: 5\n": ":4: servers[0].thresholds.http_errors: ",
    "jobs:\n- files: a\n  deadline: tomorrow\n": (
        ":3: jobs[0].deadline: 'tomorrow' is no moment: want 2026-12-01 08:00+01:00, or with Z for UTC"
    ),
    "jobs:\n- files: a\n  deadline: 2026-12-01 08:00\n": (
        ":3: jobs[0].deadline: '2026-12-01 08:00' says no zone: want 2026-12-01 08:00+01:00, or with Z for UTC"
    ),
    "jobs:\n- files: a\n  deadline: 2026-12-01 08:00Z\n": ":3: jobs[0].deadline: a deadline needs a total",
    "jobs:\n- files: a\n  deadline: 24\n": ":3: jobs[0].deadline: ",
    "servers: &a [*a]\n": ": nested too deeply",
    "? [a]\n: b\n": ":1: a key must be a word",
    "servers:\n  - logs: []\n": ":2: servers[0].logs: want the name of a file, or a glob",
    'servers:\n  - logs: ""\n': ":2: servers[0].logs: want the name of a file, or a glob",
    'jobs:\n  - files: [a, "b\\0"]\n': ":2: ",
    "servers: \x00\n": ":1: ",
    "false\n": ":1: the file: ",
    "[]\n": ":1: the file: ",
    "servers:\n  - logs: a\n    timezone: ''\n": ":3: servers[0].timezone: ",
}


def write(folder: Path, text: str) -> Path:
    path = folder / "config.yaml"
    path.write_text(text)
    return path


def test_a_good_one(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, GOOD)) == Config(
        servers=[
            ServerConfig(
                logs="/logs/{server}/server.log",
                profile="batch",
                thresholds=Thresholds(kv_cache_saturated=0.95),
                timezone="Europe/Berlin",
            ),
            ServerConfig(logs=["/var/log/a.log", "/var/log/b.log"], name="pair"),
        ],
        jobs=[
            JobConfig(
                files="/data/{dataset}/raw_responses*.jsonl",
                total=88000,
                deadline="2026-12-01 08:00+01:00",
                tokens=TokensConfig(average=4100),
            ),
            JobConfig(
                files="out.jsonl",
                name="2025-06-06",
                unit="completions",
                tokens=TokensConfig(average="auto"),
                format="openai-chat",
            ),
        ],
        windows=["90s", "1h"],
        stale_after=45,
    )


def test_an_empty_one_is_all_defaults(tmp_path: Path) -> None:
    assert load_config(write(tmp_path, "")) == Config()


@pytest.mark.parametrize("text", BAD)
def test_a_bad_one_is_refused_with_its_place(text: str, tmp_path: Path) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as refused:
        load_config(path)
    assert str(refused.value).startswith(f"{path}{BAD[text]}")


def test_a_missing_one_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"nowhere\.yaml: No such file or directory"):
        load_config(tmp_path / "nowhere.yaml")


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_bytes(b"servers: \xff\n")
    with pytest.raises(ConfigError, match=r"config\.yaml: "):
        load_config(path)
