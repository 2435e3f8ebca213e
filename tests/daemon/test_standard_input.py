"""`--log -`: a log that is piped into the daemon."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sglang_exporter.cli import main
from support.exporter import Exporter, pick
from support.servers import decode

RUNNING = "sglang_server_running_requests"
LAST_LINE = "sglang_server_last_line_timestamp_seconds"


class Writer:
    """What a `docker logs -f` writes to."""

    def __init__(self) -> None:
        self.out, self._in = os.pipe()

    def say(self, *lines: str) -> None:
        os.write(self._in, "".join(f"{line}\n" for line in lines).encode())

    def end(self) -> None:
        os.close(self._in)


@pytest.fixture(name="writer")
def _writer() -> Iterator[Writer]:
    writer = Writer()
    yield writer
    os.close(writer.out)


def test_a_piped_log_is_followed_and_its_end_is_told(tmp_path: Path, writer: Writer) -> None:
    writer.say(decode("10:00:00", running=7))
    with Exporter(tmp_path, "--log", "-", "--stale-after", "2", stdin=writer.out) as exporter:
        page = exporter.page_when(lambda page: pick(page, LAST_LINE, server="stdin") is not None, "the history is read")
        assert pick(page, RUNNING) is None  # said long ago
        assert pick(page, "sglang_exporter_source_up", source="log:stdin") == 1
        writer.say(decode("10:00:05", running=9))
        exporter.page_when(lambda page: pick(page, RUNNING, server="stdin") == 9, "a line is read")
        writer.end()
        exporter.page_when(lambda page: pick(page, "sglang_exporter_source_up") == 0, "the end is told")
        page = exporter.page_when(lambda page: pick(page, RUNNING) is None, "what was said is too old")
        assert pick(page, LAST_LINE) is not None
        assert exporter.signal(signal.SIGTERM) == 0
    assert exporter.log.read_text().count("standard input: has ended") == 1


def test_a_silent_pipe_keeps_nobody_waiting(tmp_path: Path, writer: Writer) -> None:
    with Exporter(tmp_path, "--log", "-", stdin=writer.out) as exporter:
        assert pick(exporter.page(), "sglang_exporter_source_up", source="log:stdin") == 1
        assert exporter.signal(signal.SIGTERM) == 0
    writer.end()


def test_it_stands_beside_files_and_outlives_a_reload(tmp_path: Path, writer: Writer) -> None:
    (tmp_path / "stdin.log").write_text(decode("10:00:00") + "\n")
    config = tmp_path / "config.yml"
    config.write_text("servers:\n  - logs: ['-']\n    name: piped\n")
    writer.say(decode("10:00:00"))
    with Exporter(tmp_path, "--log", "stdin.log", "--config.file", config, stdin=writer.out) as exporter:
        page = exporter.page_when(lambda page: pick(page, LAST_LINE, server="piped") is not None, "it is read")
        assert pick(page, LAST_LINE, server="stdin") is not None
        config.write_text("servers:\n  - logs: ['-']\n    name: piped\n    profile: batch\n")
        exporter.hang_up()
        exporter.page_when(
            lambda page: pick(page, "sglang_exporter_alert_threshold", server="piped", profile="batch") is not None,
            "the reload",
        )
        writer.say(decode("10:00:05", running=9))
        exporter.page_when(lambda page: pick(page, RUNNING, server="piped") == 9, "a line after it")
    writer.end()


def test_nothing_of_it_is_kept_across_a_restart(tmp_path: Path) -> None:
    for _ in range(2):
        writer = Writer()
        writer.say(decode("10:00:00"), decode("10:00:10"))
        checkpoint = tmp_path / "checkpoint"
        with Exporter(tmp_path, "--log", "-", stdin=writer.out, checkpoint=checkpoint) as exporter:
            page = exporter.page_when(lambda page: pick(page, LAST_LINE) is not None, "the history is read")
            assert pick(page, "sglang_exporter_lines_total", kind="decode") == 2
            assert exporter.signal(signal.SIGTERM) == 0
        writer.end()
        os.close(writer.out)


def run(*arguments: str, piped: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "sglang_exporter", *arguments]
    return subprocess.run(command, input=piped, capture_output=True, text=True, timeout=60, check=False)


def test_once_reads_it_to_its_end(tmp_path: Path) -> None:
    log = tmp_path / "stdin.log"
    log.write_text("".join(decode(f"10:00:{second:02}") + "\n" for second in range(0, 60, 5)))
    through_a_pipe = run("once", "--log", "-", piped=log.read_text())
    from_the_file = run("once", "--log", str(log), piped="")
    assert through_a_pipe.returncode == 0
    told = [
        [line for line in each.stdout.splitlines() if "duration_seconds" not in line]
        for each in (through_a_pipe, from_the_file)
    ]
    assert told[0] == told[1]


def test_check_and_explain_read_it_too() -> None:
    assert "log:stdin: /dev/stdin" in run("check", "--log", "-", piped=decode("10:00:00") + "\n").stdout
    assert "requests run" in run("explain", "-", piped=decode("10:00:00") + "\n").stdout


def test_once_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["once", "--log", "-", "a.log", "-"]) == 2
    assert "- is standard input, which can be read once, and is given 2 times" in capsys.readouterr().err


def test_a_terminal_is_refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = os.openpty()
    with os.fdopen(ours), os.fdopen(theirs) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        assert main(["--log", "-"]) == 2
    assert "--log -: standard input is a terminal; pipe a log into it" in capsys.readouterr().err


def test_a_closed_one_is_refused(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    assert main(["--log", "-"]) == 2
    assert "--log -: standard input is closed" in capsys.readouterr().err
