"""`explain` for a person: what a line means, and which metrics it sets."""

import json
from pathlib import Path

import pytest

from sglang_exporter.cli import main
from sglang_exporter.explain import TextForm, answers, as_json, explained
from sglang_exporter.meaning import PUZZLES, in_words
from sglang_exporter.metrics.effects import effects
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.grammar import SHAPES
from sglang_exporter.serverlog.ranks import NO_RANKS
from support.servers import access, decode, start

SECRET = "hunter2 told me"  # noqa: S105 -- a prompt


DAMAGED = f"[2026-11-29 10:00:00] Decode batch, #running-req: 4, {SECRET}, #queue-req: 0"


def text_of(*lines: str, colour: bool = False) -> str:
    return "\n".join(TextForm(colour=colour)(one) for one in answers([line.encode() for line in lines]))


def test_a_decode_line() -> None:
    line = decode("10:00:00", running=236, queue=6, speed=536.12, ranks=" DP1 TP2")
    assert text_of(line).splitlines() == [
        "     1  2026-11-29 10:00:00  DP1 TP2  236 requests run, 6 wait, the KV cache is 50% full, 536.12 tokens generated a second",
        f"        {line}",
        '        sglang_server_gen_throughput_tokens_per_second{dp_rank="1"} = 536.12',
        '        sglang_server_token_usage_ratio{dp_rank="1", pool="kv"} = 0.5',
        '        sglang_server_used_tokens{dp_rank="1", pool="kv"} = 500',
        '        sglang_server_running_requests{dp_rank="1"} = 236',
        '        sglang_server_queued_requests{dp_rank="1"} = 6',
        '        sglang_server_graph_enabled{dp_rank="1"} = 1',
    ]


def test_a_line_in_colour_says_the_same() -> None:
    plain, coloured = text_of(decode("10:00:00")), text_of(decode("10:00:00"), colour=True)
    assert "\x1b[1m4 requests run" in coloured
    assert coloured.replace("\x1b[1m", "").replace("\x1b[2m", "").replace("\x1b[0m", "") == plain


def test_an_access_line_raises_a_counter() -> None:
    assert 'sglang_server_http_requests_total{method="POST", handler="/v1/completions", code="200"} + 1' in text_of(
        access("10:00:00")
    )


@pytest.mark.parametrize(
    "line",
    [
        start("10:00:00", api_key=SECRET),
        f"[2026-11-29 10:00:00] Receive: obj=GenerateReqInput(text='{SECRET}')",
        f"[2026-11-29 10:00:00] Finish: obj=GenerateReqInput(text='{SECRET}'), out={{'text': '{SECRET}', 'meta_info': {{'completion_tokens': 5}}}}",
        json.dumps({"timestamp": "t", "event": "request.finished", "obj": {"text": SECRET}, "out": {"text": SECRET}}),
        access("10:00:00", path=f"/generate?text={SECRET.replace(' ', '%20')}"),
        DAMAGED,
    ],
)
def test_no_prompt_answer_or_secret_is_shown(line: str) -> None:
    assert "hunter2" not in text_of(line)
    assert "hunter2" not in str([one.event for one in explained([line.encode()])])


@pytest.mark.parametrize("ending", ["", "\n"])
def test_a_log_whose_only_line_is_damaged_gets_an_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], ending: str
) -> None:
    path = tmp_path / "server.log"
    path.write_text(f"{DAMAGED}{ending}")
    assert main(["explain", str(path)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "     1  one of the lines damaged: cut, overwritten, or a number that is none",
        "        Decode batch, #running-req: 9, xxx9 xxx xxx, #queue-req: 9",
    ]


@pytest.mark.parametrize(
    ("lines", "number", "reason", "shape"),
    [
        ([decode("10:00:00"), DAMAGED], 2, "damaged", "Decode batch, #running-req: 9, xxx9 xxx xxx, #queue-req: 9"),
        (
            [f"{decode('10:00:00')[:60]}{decode('10:00:01')}"],
            1,
            "torn_line",
            "Decode batch, #running-req: 9, #token:",
        ),
        (["[2026-11-29 10:00:00] Verify batch, #queue-req: 0"], 1, "format_drift", "xxx batch, #queue-req: 9"),
    ],
)
def test_a_line_that_was_not_understood_is_told_by_its_number_reason_and_masked_shape(
    lines: list[str], number: int, reason: str, shape: str
) -> None:
    (row,) = [
        json.loads(as_json(one)) for one in answers([line.encode() for line in lines]) if not hasattr(one, "event")
    ]
    assert row == {"line": number, "kind": "other", "reason": reason, "shape": shape}
    assert f"{number:>6}  one of the lines {PUZZLES[reason]}\n        {shape}" in text_of(*lines)


def test_a_field_that_nobody_knows_is_told_beside_what_its_line_says() -> None:
    told = text_of(f"{decode('10:00:00')}, #new-thing: 5")
    assert "4 requests run" in told
    assert "     1  one of the lines with a field that this exporter does not know; their other fields count" in told


def test_lines_of_other_programs_are_no_puzzle() -> None:
    assert text_of("Downloading shards", "", "[2026-11-29 10:00:00] a line of a plugin's") == ""


@pytest.mark.parametrize("kind", sorted({shape.kind for shape in SHAPES} - {"json"}))
def test_every_kind_has_words(kind: str) -> None:
    assert in_words(Event(kind, {"#running-req": 1, "#new-seq": 1}, None, NO_RANKS))


@pytest.mark.parametrize(
    ("kind", "fields", "words"),
    [
        ("retract", {"#retracted_reqs": 3}, "3 running requests go back"),
        ("request_finished", {"completion_tokens": 1234, "prompt_tokens": 5}, "5 prompt tokens, 1,234 generated"),
        ("request_finished", {}, "a request finished"),
        ("capacity", {"max_total_num_tokens": 376029}, "the KV cache holds 376,029 tokens"),
    ],
)
def test_numbers_in_words(kind: str, fields: dict[str, int], words: str) -> None:
    assert words in in_words(Event(kind, dict(fields), None, NO_RANKS))


def test_a_line_without_effect_sets_nothing() -> None:
    assert effects(Event("load_begin", {}, None, NO_RANKS)) == []
