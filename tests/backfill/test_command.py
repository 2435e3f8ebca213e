"""The command as a user types it: labels, steps, files that are not there, rotated ones, bounded memory."""

import errno
import gzip
import os
from pathlib import Path

import pytest

from sglang_exporter.backfill import spool
from sglang_exporter.cli import main
from support.backfilled import in_order, pages
from support.exporter import pick
from support.recordings import unpack
from support.servers import decode


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "node7.log"
    path.write_text(decode("10:00:00") + "\n" + decode("10:00:20", speed=33.0) + "\n")
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: str | Path) -> str:
    assert main(["backfill", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def test_labels_as_a_scrape_adds_them(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "--log", log)
    assert (
        'sglang_server_running_requests{server="node7",job="sglang-exporter",instance="backfill"} 4.0 1795946400\n'
        in text
    )
    text = printed(capsys, "--log", log, "--label", "instance=box:17461", "--label", 'rack="a\\b"', "--label", "job=")
    assert 'sglang_server_running_requests{server="node7",instance="box:17461",rack="\\"a\\\\b\\""} 4.0 ' in text


def test_every_family_has_its_head_once(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, "--log", log).splitlines()
    named = {line.split("{")[0].split(" ")[0] for line in lines if not line.startswith("#")}
    typed = [line.split(" ")[2] for line in lines if line.startswith("# TYPE ")]
    assert {name.removesuffix("_total") for name in named} == set(typed)
    assert [line.split(" ")[2] for line in lines if line.startswith("# HELP ")] == typed


@pytest.mark.parametrize(
    "arguments",
    [
        ["--step", "0"],
        ["--step", "0.5"],
        ["--step", "often"],
        ["--label", "job"],
        ["--label", "1st=a"],
        ["--label", "__name__=a"],
        ["--label", "server=a"],
        ["--label", "le=1"],
    ],
)
def test_bad_usage_is_2(arguments: list[str], log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["backfill", "--log", str(log), *arguments])
    assert end.value.code == 2
    assert f"{arguments[0]}: " in capsys.readouterr().err


def test_a_file_that_is_not_there_is_1_and_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backfill", "--log", str(tmp_path / "none.log")]) == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert "none.log" in said.err
    assert "No such file or directory" in said.err


def test_standard_input_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backfill", "--log", "-"]) == 2
    assert (
        capsys.readouterr().err == "sglang-exporter: standard input has no past to go back to: backfill reads files\n"
    )


def test_an_empty_file_is_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.log").touch()
    assert main(["backfill", "--log", str(tmp_path / "empty.log")]) == 1
    said = capsys.readouterr()
    assert (said.out, said.err) == ("", "sglang-exporter: no file has a line in it\n")


def test_a_file_that_is_not_there_beside_one_that_is(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["backfill", "--log", str(log), "--outputs", str(log.with_name("none.jsonl"))]) == 0
    said = capsys.readouterr()
    assert "none.jsonl: No such file or directory" in said.err
    last = list(pages(said.out).values())[-1]
    assert pick(last, "sglang_exporter_source_up", source="outputs:none") == 0
    assert pick(last, "sglang_exporter_source_up", source="log:node7") == 1


def test_rotated_and_compressed_files_come_first(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with gzip.open(f"{log}.1.gz", "wt") as older:
        older.write(decode("09:59:30") + "\n" + decode("09:59:40") + "\n")
    found = pages(printed(capsys, "--log", f"{log}*"))
    assert next(iter(found)) == 1_795_946_400 - 30
    assert pick(list(found.values())[-1], "sglang_exporter_lines_total", kind="decode") == 4


def test_two_servers_side_by_side(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log.with_name("node8.log").write_text(decode("10:00:40") + "\n" + decode("10:01:00") + "\n")
    found = pages(printed(capsys, "--log", f"{log.parent}/{{server}}.log"))
    batches = "sglang_server_last_batch_timestamp_seconds"
    assert len(found) == 5
    assert [pick(page, batches, server="node7") is not None for page in found.values()] == [True] * 5
    assert [pick(page, batches, server="node8") is not None for page in found.values()] == [False] * 3 + [True] * 2


def test_a_full_disk_is_1_and_said(
    log: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full() -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(spool, "TemporaryFile", full)
    assert main(["backfill", "--log", str(log)]) == 1
    assert capsys.readouterr().err.endswith("No space left on device\n")


def test_what_is_put_down_on_disk_is_the_same(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    log = unpack("0.5.23-batch", "server.log", tmp_path)
    outputs = unpack("0.5.23-batch", "raw_responses.jsonl", tmp_path)
    wanted = printed(capsys, "--log", log, "--outputs", outputs)
    monkeypatch.setattr(spool, "_MOST_HELD", 1)
    monkeypatch.setattr(spool, "_PIECE", 7)
    assert printed(capsys, "--log", log, "--outputs", outputs) == wanted
    in_order(wanted)
