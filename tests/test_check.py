"""`check`: what is there, what is understood, what is missing, and no word of a prompt."""

from pathlib import Path

import pytest

from sglang_exporter.cli import main
from sglang_exporter.meaning import PUZZLES
from sglang_exporter.serverlog.decoder import REASONS
from support.servers import access, decode, start


def said(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> tuple[int, str]:
    status = main(["check", *map(str, arguments)])
    return status, capsys.readouterr().out


def test_a_log_that_is_understood(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "node7.log"
    log.write_text("\n".join([start("10:00:00"), access("10:00:01"), decode("10:00:02"), "Traceback", ""]))
    status, text = said(capsys, "--log", log)
    assert status == 0
    assert text.splitlines() == [
        f"log:node7: {log}",
        "    4 lines, 75% of them SGLang's own and understood",
        "    1 server_args, 1 access, 1 decode",
    ]


def test_what_is_not_understood_is_shown_masked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = tmp_path / "node7.log"
    new = "[2026-11-29 10:00:00] Verify batch, #running-req: 4, secret: 12, Müller: 5"
    log.write_text("\n".join([new, new, decode("10:00:02") + ", #cache_miss: 1", decode("10:00:02")[:-3], ""]))
    _, text = said(capsys, "--log", log)
    assert "2 lines like a batch line, in words that this exporter does not know" in text
    assert "2 x xxx batch, #running-req: 9, xxx: 9, xxx: 9" in text
    assert "1 lines with a field that this exporter does not know" in text
    assert "1 lines damaged" in text
    assert "secret" not in text
    assert "no access lines" in text
    assert "no start" in text


def test_an_output_file_without_token_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = tmp_path / "answers7.jsonl"
    outputs.write_text('{"prompt": "p", "response": "r"}\n' * 3)
    status, text = said(capsys, "--outputs", outputs)
    assert status == 0
    assert "3 records, 3 completions" in text
    assert "3 completions without a token count: --average-tokens estimates them" in text


def test_a_glob_that_matches_nothing_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys, "--log", tmp_path / "{server}.log") == (1, "log:{server}: no file matches\n")


def test_a_file_that_is_not_there_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, text = said(capsys, "--log", tmp_path / "node7.log")
    assert status == 1
    assert "not there, or not readable" in text


def test_what_it_warns_of_names_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "--log", str(tmp_path / "node7.log")])
    assert "node7.log: No such file" in capsys.readouterr().err


def test_nothing_to_follow_is_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert said(capsys) == (1, "nothing to follow: give --log, --outputs or --config.file\n")


def test_every_reason_has_words() -> None:
    assert PUZZLES.keys() == {*REASONS, "internal_error"}
