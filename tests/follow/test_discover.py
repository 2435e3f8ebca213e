"""Globs, placeholders, and which rotated file belongs to which."""

import gzip
from collections.abc import Iterable
from pathlib import Path

import pytest

from sglang_exporter.follow.discover import Found, discover


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def make(*names: str) -> None:
    for name in names:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(name, encoding="utf-8")


def paths(found: Iterable[Found]) -> list[str]:
    return [stream.path for stream in found]


def test_a_name_is_found_whether_the_file_is_there_or_not() -> None:
    make("there.log")
    assert discover(["there.log", "missing/server.log"]) == [
        Found("there.log", {}, []),
        Found("missing/server.log", {}, []),
    ]


def test_globs_match_as_the_shell_does() -> None:
    make("a/1.log", "a/2.log", "a/.hidden.log", "b/c/3.log", "b/4.txt")
    assert paths(discover(["*/*.log"])) == ["a/1.log", "a/2.log"]
    assert paths(discover(["a/[!1].log"])) == ["a/2.log"]
    assert paths(discover(["?/*.txt"])) == ["b/4.txt"]
    assert paths(discover(["**/*.log"])) == ["a/1.log", "a/2.log", "b/c/3.log"]
    assert paths(discover(["b/**"])) == ["b/4.txt", "b/c/3.log"]
    assert paths(discover(["nothing/*.log"])) == []


def test_patterns_keep_their_order_and_a_file_comes_once() -> None:
    make("a.log", "b.log")
    assert paths(discover(["b.log", "*.log", ".//a.log"])) == ["b.log", "a.log"]


def test_absolute_patterns_give_absolute_paths(tmp_path: Path) -> None:
    make("a.log")
    assert paths(discover([f"{tmp_path}//*.log", f"{tmp_path}/./b.log"])) == [f"{tmp_path}/a.log", f"{tmp_path}/b.log"]


def test_a_placeholder_matches_within_one_folder_and_is_told() -> None:
    make("runs/a/server.log", "runs/b/server.log", "runs/c/d/server.log")
    assert discover(["runs/{server}/server.log"]) == [
        Found("runs/a/server.log", {"server": "a"}, []),
        Found("runs/b/server.log", {"server": "b"}, []),
    ]


def test_equal_placeholders_must_agree() -> None:
    make("a/a.log", "a/b.log", "b/b.log")
    assert paths(discover(["{server}/{server}.log"])) == ["a/a.log", "b/b.log"]


def test_two_placeholders_and_a_star() -> None:
    make("h1/gsm8k-0.jsonl", "h2/math-1.jsonl", "h2/-1.jsonl")
    assert [found.placeholders for found in discover(["{server}/{dataset}-*.jsonl"])] == [
        {"server": "h1", "dataset": "gsm8k"},
        {"server": "h2", "dataset": "math"},
    ]


def test_other_braces_and_odd_brackets_are_characters() -> None:
    make("a{b}+.log", "x[.log", "a^.log", "a!.log")
    assert paths(discover(["a{b}+.log"])) == ["a{b}+.log"]
    assert paths(discover(["*{b}+.*"])) == ["a{b}+.log"]
    assert paths(discover(["x[.*"])) == ["x[.log"]
    assert paths(discover(["a[!!{].log"])) == ["a^.log"]


def test_rotated_names_belong_to_their_base_oldest_first() -> None:
    names = [
        "server.log-20250728.gz",
        "server.log.2025-07-29",
        "server.log-20250730",
        "server.log.2025-07-30_14",
        "server.log.20250730_15",
        "server.log.20250730-160000.gz",
        "server.log.10.gz",
        "server.log.2.gz",
        "server.log.1",
    ]
    make("server.log", *reversed(names))
    assert discover(["server.log*"]) == [Found("server.log", {}, names)]
    assert discover(["server.log"]) == [Found("server.log", {}, [])]


def test_a_log_that_is_away_for_a_moment_still_has_its_rotated_files() -> None:
    make("server.log.1", "server.log.2")
    assert discover(["server.log*"]) == [Found("server.log", {}, ["server.log.2", "server.log.1"])]


def test_a_rotated_file_that_is_given_by_its_name_is_a_file_of_its_own() -> None:
    make("server.log.1")
    assert discover(["server.log.1"]) == [Found("server.log.1", {}, [])]
    assert discover(["server.log", "server.log.1"]) == [Found("server.log", {}, ["server.log.1"])]


def test_numbers_that_are_no_rotation_make_files_of_their_own() -> None:
    make("node.0", "node.1", "sglang.30000")
    assert paths(discover(["*"])) == ["node.0", "node.1", "sglang.30000"]


def test_sglangs_hourly_files_are_files_of_their_own_unless_there_is_a_base() -> None:
    hourly = ["sglang-request-metrics-20250730_14.log", "sglang-request-metrics-20250730_15.log"]
    make(*hourly)
    assert paths(discover(["sglang-request-metrics-*.log"])) == hourly
    make("sglang-request-metrics.log")
    assert discover(["*.log"]) == [Found("sglang-request-metrics.log", {}, hourly)]


def test_the_placeholder_of_a_rotated_file_is_its_bases() -> None:
    make("a.log", "a.log.1", "b.log.1")
    assert discover(["{server}.log*"]) == [
        Found("a.log", {"server": "a"}, ["a.log.1"]),
        Found("b.log", {"server": "b"}, ["b.log.1"]),
    ]
    assert discover(["{server}.log.1"])[1] == Found("b.log", {"server": "b"}, ["b.log.1"])


def test_a_compressed_copy_beside_its_original_is_left_out() -> None:
    make("server.log", "server.log.1")
    for name in ("server.log", "server.log.1", "server.log.2"):
        Path(f"{name}.gz").write_bytes(gzip.compress(b"x\n"))
    assert discover(["server.log*"]) == [Found("server.log", {}, ["server.log.2.gz", "server.log.1"])]


def test_compressions_that_cannot_be_read_are_left_out() -> None:
    make("server.log", "server.log.1.xz", "server.log.2.bz2", "server.log.3.zst")
    assert discover(["server.log*"]) == [Found("server.log", {}, [])]


def test_a_second_name_of_a_file_is_left_out() -> None:
    make("server-1.log")
    Path("latest.log").symlink_to("server-1.log")
    assert paths(discover(["*.log"])) == ["server-1.log"]
    assert paths(discover(["latest*"])) == ["latest.log"]
    Path("server-1.log.1").hardlink_to("server-1.log")
    assert discover(["server*"]) == [Found("server-1.log", {}, [])]


def test_the_runs_of_a_pods_container_are_one_stream() -> None:
    folder = "pods/prod_llm-0_0b7c9a2e/sglang"
    older = [f"{folder}/8.log", f"{folder}/9.log", f"{folder}/10.log.20250730-120000.gz"]
    make(*older, f"{folder}/10.log", "pods/prod_llm-1_1f2e3d4c/sglang/0.log")
    assert discover(["pods/*/*/*.log*"]) == [
        Found(f"{folder}/10.log", {}, older),
        Found("pods/prod_llm-1_1f2e3d4c/sglang/0.log", {}, []),
    ]
