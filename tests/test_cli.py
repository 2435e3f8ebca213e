"""Commands and flags as a user types them."""

import json
from pathlib import Path

import pytest

from sglang_exporter import __version__
from sglang_exporter.cli import COMMANDS, main
from support.servers import decode


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "node7.log"
    path.write_text("\n".join([decode("10:00:00"), "not ours", decode("10:00:02", speed=33.0)]) + "\n")
    return path


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 0
    assert __version__ in capsys.readouterr().out


@pytest.mark.parametrize(
    "command", [[], ["serve"], ["once"], ["backfill"], ["check"], ["explain"], ["replay"], ["healthcheck"]]
)
def test_help_explains_every_flag(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main([*command, "--help"])
    assert end.value.code == 0
    assert "sglang-exporter" in capsys.readouterr().out


def test_once_prints_the_page_as_of_the_last_line(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["once", "--log", str(log)]) == 0
    page = capsys.readouterr().out
    assert 'sglang_server_gen_throughput_tokens_per_second{server="node7"} 33.0' in page
    assert 'sglang_server_generated_tokens_total{server="node7"} 66.0' in page


def test_once_takes_a_last_line_without_a_line_feed(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with log.open("a") as file:
        file.write(decode("10:00:03", speed=77.0))
    main(["once", "--log", str(log)])
    assert 'sglang_server_gen_throughput_tokens_per_second{server="node7"} 77.0' in capsys.readouterr().out


def test_explain_in_json(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", "--format", "jsonl", str(log)]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["line"] for row in rows] == [1, 3]
    assert rows[1]["fields"]["gen throughput (token/s)"] == 33.0
    assert rows[1] | {"fields": {}} == {
        "line": 3,
        "kind": "decode",
        "time": "2026-11-29T10:00:02",
        "engine": None,
        "ranks": {},
        "fields": {},
    }


def test_explain_in_text(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(log)]) == 0
    assert "sglang_server_gen_throughput_tokens_per_second = 33" in capsys.readouterr().out


def test_explain_of_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", str(tmp_path / "none.log")]) == 1
    assert "none.log: No such file or directory" in capsys.readouterr().err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--total", "0"],
        ["--total", "many"],
        ["--average-tokens", "-1"],
        ["--average-tokens", "about"],
        ["--stale-after", "inf"],
        ["--web.listen-address", "17461"],
        ["--log.level", "loud"],
        ["--no-such-flag"],
        ["explain"],
        ["replay", "somewhere"],
        ["replay", "somewhere", "--into", "else", "--speed", "0"],
    ],
)
def test_bad_usage_is_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    assert "error:" in capsys.readouterr().err


WHAT_IT_NEEDS = {"explain": ["server.log"], "replay": ["recording", "--into", "x"], "assets": ["--into", "x"]}


@pytest.mark.parametrize("unknown", [["--bogus"], ["one", "too", "many"], ["--bogus=1", "-x"]])
@pytest.mark.parametrize("command", COMMANDS)
def test_an_argument_that_is_unknown_is_told_with_the_usage_of_the_command(
    command: str, unknown: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as end:
        main([command, *WHAT_IT_NEEDS.get(command, []), *unknown])
    told = capsys.readouterr().err
    assert end.value.code == 2
    assert told.startswith(f"usage: sglang-exporter {command} ")
    assert told.endswith(f"\nsglang-exporter {command}: error: unrecognized arguments: {' '.join(unknown)}\n")


def test_without_a_command_it_is_the_usage_of_serve(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--bogus"])
    assert capsys.readouterr().err.startswith("usage: sglang-exporter serve ")


def test_a_bad_configuration_is_2_and_names_file_line_and_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text("servers:\n  - logs: a.log\n    profil: batch\n")
    assert main(["once", "--config.file", str(path)]) == 2
    assert f"{path}:3: servers[0].profil: " in capsys.readouterr().err


def test_rotated_files_that_a_shell_spelled_out_belong_to_their_log(
    log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log.with_name("node7.log.1").write_text(decode("09:00:00") + "\n" + decode("09:00:01", speed=5.0) + "\n")
    main(["once", "--log", str(log), str(log.with_name("node7.log.1"))])
    page = capsys.readouterr().out
    assert page.count("sglang_server_starts_total{") == 1
    assert 'sglang_exporter_lines_total{kind="decode",source="log:node7"} 4.0' in page
