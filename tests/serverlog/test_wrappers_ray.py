"""Ray's driver log: many engines in one file, and lines that Ray swallowed."""

import pytest

from sglang_exporter.serverlog.wrappers import Unwrapped, Unwrapper
from support.wrapping import docker, labelled, ray, ray_repeated

LINE = b"[2026-03-22 13:53:37 TP0] Decode batch, #running-req: 6, #token: 42414, token usage: 0.04, #queue-req: 0, "


def unwrap(*lines: bytes) -> list[Unwrapped]:
    unwrapper = Unwrapper({})
    return [unwrapped for line in lines for unwrapped in unwrapper.feed(line)]


@pytest.mark.parametrize(
    ("prefix", "engine"),
    [
        (b"(SGLangEngine pid=41820, ip=10.0.0.1) ", "41820@10.0.0.1"),
        (b"(SGLangEngine pid=41820) ", "41820"),
        (b"\x1b[36m(SGLangEngine pid=7, ip=fe80::1)\x1b[0m ", "7@fe80::1"),
        (b"^[[36m(SGLangEngine(rank=0, tp=2) pid=7)^[[0m ", "7"),
        (b"(ServeReplica:app:SGLang pid=7) ", "7"),
        (b"(pid=7) ", "7"),
        (b"(TaskRunner pid=1) (SGLangHttpServer pid=2, ip=10.0.0.1) ", "2@10.0.0.1"),
        (b"sglang-1  | (SGLangEngine pid=7) ", "7"),
        (b"sglang-1  | ", None),
        (b"", None),
    ],
)
def test_an_engine_is_told_by_process_and_address(prefix: bytes, engine: str | None) -> None:
    assert unwrap(prefix + LINE) == [Unwrapped(LINE, engine, 0)]


@pytest.mark.parametrize("first", [True, False])
def test_a_line_that_stands_for_five_swallowed_four(*, first: bool) -> None:
    assert unwrap(ray_repeated(5, LINE, first=first)) == [Unwrapped(LINE, "41820@10.0.0.1", 4)]


def test_a_line_that_stands_for_many_is_one_line_behind_its_progress_bar() -> None:
    assert unwrap(*docker([ray_repeated(3, b"bar\r" + LINE)])) == [
        Unwrapped(b"bar", "41820@10.0.0.1", 0),
        Unwrapped(LINE, "41820@10.0.0.1", 2),
    ]


@pytest.mark.parametrize(
    "text",
    [
        LINE + b"and[repeated 5x across cluster]",
        LINE + b" [repeated 5x across cluster] and more",
        LINE + b" [repeated manyx across cluster]",
    ],
)
def test_other_words_are_not_rays(text: bytes) -> None:
    assert unwrap(*ray([text])) == [Unwrapped(text, "41820", 0)]


def test_without_rays_prefix_nothing_was_swallowed() -> None:
    text = LINE + b" [repeated 5x across cluster]"
    assert unwrap(text) == [Unwrapped(text)]


@pytest.mark.parametrize(
    "process", [b"APIServer", b"ApiServer_0", b"EngineCore_DP0", b"Worker_TP1", b"VllmWorker rank=0", b"vLLMHttpServer"]
)
def test_a_process_of_vllm_is_no_engine(process: bytes) -> None:
    line = b'(%s pid=1) INFO:     127.0.0.1:52018 - "POST /v1/chat/completions HTTP/1.1" 200 OK' % process
    assert unwrap(line, *labelled(b"vllm-1  | ")([line])) == [Unwrapped(line), Unwrapped(line)]


def test_engines_of_one_pid_on_two_nodes_are_two() -> None:
    log = [line for ip in (b"10.0.0.1", b"10.0.0.2") for line in ray([LINE], pid=1, ip=ip)]
    assert [engine for _, engine, _ in unwrap(*log)] == ["1@10.0.0.1", "1@10.0.0.2"]


@pytest.mark.parametrize("gap", [b"", b"    ", b"\x1b[A", b"\r"])
def test_a_line_glued_behind_the_drivers_progress_bar_has_its_engine(gap: bytes) -> None:
    bar = b"Rollout generation:  12%|#2        | 64/512 [01:00<07:00,  1.06it/s]"
    (line,) = ray([LINE], ip=b"10.0.0.1")
    first, second = unwrap(bar + gap + line)
    assert first.text.rstrip() == bar
    assert second == Unwrapped(LINE, "41820@10.0.0.1")


@pytest.mark.parametrize(
    "line",
    [
        b"[2026-03-22 13:53:37] Receive: obj=GenerateReqInput(text=['x](SGLangEngine pid=1) " + LINE,
        b"as in [the log](SGLangEngine pid=1) of yesterday",
        b"they print (SGLangEngine pid=1) " + LINE,
    ],
)
def test_rays_prefix_in_a_text_is_a_quotation(line: bytes) -> None:
    assert unwrap(line) == [Unwrapped(line)]
