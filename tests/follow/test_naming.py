"""The names of servers and data sets."""

import pytest

from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.naming import Kind, names

POD = "/var/log/pods/prod_llm-0_0b7c9a2e/sglang/{}.log"


def found(*paths: str) -> list[Found]:
    return [Found(path, {}, []) for path in paths]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/logs/qwen.log", "qwen"),
        ("/logs/qwen.out.gz", "qwen"),
        ("/logs/qwen-8b.v2.txt", "qwen-8b.v2"),
        ("/logs/qwen.log.1", "qwen"),
        ("/runs/night/server.log", "night"),
        ("/runs/night/stdout", "night"),
        ("/runs/night/logs/SGLang.log", "night"),
        ("/runs/night/0.log", "night"),
        ("/server.log", "server"),
        ("/var/log/server.log", "server"),
        (POD.format(3), "prod/llm-0/sglang"),
    ],
)
def test_a_server_is_called_after_its_log_or_else_after_the_folder(path: str, name: str) -> None:
    assert names(found(path), {}, "server", None) == {path: name}


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/data/gsm8k.jsonl", "gsm8k"),
        ("/data/gsm8k/raw_responses.jsonl", "gsm8k"),
        ("/data/gsm8k/outputs/responses.jsonl", "gsm8k"),
        ("/data/sglang-request-metrics-20250730_14.log", "sglang-request-metrics"),
    ],
)
def test_a_data_set_is_called_after_its_file_or_else_after_the_folder(path: str, name: str) -> None:
    assert names(found(path), {}, "dataset", None) == {path: name}


def test_the_placeholder_comes_before_the_configuration_and_that_before_the_file() -> None:
    placeholder = Found("/logs/c.log", {"server": "a"}, [])
    assert names([placeholder], {}, "server", "b") == {"/logs/c.log": "a"}
    assert names(found("/logs/c.log"), {}, "server", "b") == {"/logs/c.log": "b"}
    placeholder = Found("/logs/c.jsonl", {"dataset": "a"}, [])
    assert names([placeholder], {}, "dataset", "b") == {"/logs/c.jsonl": "a"}
    assert names(found("/logs/c.jsonl"), {}, "dataset", "b") == {"/logs/c.jsonl": "b"}


def test_servers_of_the_same_name_are_told_apart_by_their_folders() -> None:
    paths = ("/a/x/qwen.log", "/a/z/qwen.log", "/a/y/qwen.log", "/b/y/qwen.log")
    assert list(names(found(*paths), {}, "server", None).values()) == ["qwen", "z/qwen", "a/y/qwen", "b/y/qwen"]


def test_servers_whose_logs_differ_in_their_endings_alone() -> None:
    paths = ("/a/qwen.log", "/a/qwen.out")
    assert list(names(found(*paths), {}, "server", None).values()) == ["qwen", "/a/qwen.out"]


def test_a_longer_name_does_not_fit_another_server_as_well() -> None:
    paths = ("/a/run/server.log", "/b/run/server.log")
    assert list(names(found(*paths), {}, "server", None).values()) == ["run", "b/run/server"]


def test_servers_in_one_folder() -> None:
    paths = ("/runs/night/server.log", "/runs/night/stdout.log")
    assert list(names(found(*paths), {}, "server", None).values()) == ["night", "night/stdout"]


def test_placeholders_that_are_the_same_twice() -> None:
    streams = [Found(f"/{folder}/x.log", {"server": "x"}, []) for folder in "ab"]
    assert list(names(streams, {}, "server", None).values()) == ["x", "b/x"]


def test_several_logs_under_one_configured_name() -> None:
    paths = ("/logs/a.log", "/logs/b.log")
    assert list(names(found(*paths), {}, "server", "prod").values()) == ["prod", "prod/b"]


@pytest.mark.parametrize("kind", ["server", "dataset"])
def test_a_name_once_given_stays(kind: Kind) -> None:
    given = {"/logs/a.log": "first", "/gone/b.log": "b"}
    assert names(found("/logs/a.log"), given, kind, "other") == {"/logs/a.log": "first"}


def test_the_name_of_a_server_that_is_gone_is_not_given_again() -> None:
    assert names(found("/new/qwen.log"), {"/old/qwen.log": "qwen"}, "server", None) == {"/new/qwen.log": "new/qwen"}


def test_a_pod_keeps_its_name_when_its_container_restarts() -> None:
    given = {POD.format(0): "prod/llm-0/sglang"}
    restarted = Found(POD.format(1), {}, [POD.format(0)])
    assert names([restarted], given, "server", None) == {POD.format(1): "prod/llm-0/sglang"}


def test_a_pod_that_is_made_anew_under_its_name_is_told_apart() -> None:
    new = "/var/log/pods/prod_llm-0_77777777/sglang/0.log"
    given = {POD.format(0): "prod/llm-0/sglang"}
    assert names(found(new), given, "server", None) == {new: "prod/llm-0/sglang/77777777"}


def test_files_of_one_data_set_share_what_they_have_in_common() -> None:
    shards = [f"/out/math-{i:05}.jsonl" for i in range(12)]
    assert set(names(found(*shards), {}, "dataset", None).values()) == {"math"}
    hourly = [f"/out/sglang-request-metrics-20250730_{hour}.log" for hour in (14, 15)]
    assert set(names(found(*hourly), {}, "dataset", None).values()) == {"sglang-request-metrics"}
    folders = [f"/runs/{run}/raw_responses.jsonl" for run in "ab"]
    assert set(names(found(*folders), {}, "dataset", None).values()) == {"runs"}
    unlike = ["/runs/night/alpha.jsonl", "/runs/night/answers.jsonl"]
    assert set(names(found(*unlike), {}, "dataset", None).values()) == {"night"}


def test_a_file_that_joins_a_data_set_later_takes_its_name() -> None:
    given = {"/out/math-00000.jsonl": "math-00000"}
    joined = found("/out/math-00000.jsonl", "/out/math-00001.jsonl")
    assert set(names(joined, given, "dataset", None).values()) == {"math-00000"}


def test_placeholders_tell_data_sets_of_one_source_apart() -> None:
    streams = [Found(f"/out/{name}/{i}.jsonl", {"dataset": name}, []) for name in ("a", "b") for i in range(2)]
    assert list(names(streams, {}, "dataset", None).values()) == ["a", "a", "b", "b"]


def test_data_sets_of_two_sources_are_told_apart_unless_the_user_called_them_the_same() -> None:
    given = {"/a/eval.jsonl": "eval"}
    assert names(found("/b/eval.jsonl"), given, "dataset", None) == {"/b/eval.jsonl": "b/eval"}
    assert names(found("/b/eval.jsonl"), given, "dataset", "eval") == {"/b/eval.jsonl": "eval"}


def test_nothing_found_has_no_name() -> None:
    assert names([], {"/a/x.log": "x"}, "server", None) == {}
    assert names([], {"/a/x.log": "x"}, "dataset", None) == {}
