"""The daemon as a user runs it: pages, signals, files that grow."""

import signal
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from sglang_exporter.checkpoint_file import CheckpointFile
from sglang_exporter.cli import main
from sglang_exporter.sources.saved import VERSION
from support.exporter import Exporter, pick
from support.servers import decode


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "node7.log"
    path.write_text(decode("10:00:00") + "\n")
    return path


def test_pages(tmp_path: Path, log: Path) -> None:
    with Exporter(tmp_path, "--log", log) as exporter:
        assert "sglang-exporter is healthy" in exporter.text("/-/healthy")
        assert "sglang-exporter is ready" in exporter.text("/-/ready")
        assert "node7" in exporter.text("/")
        assert "sglang_server_starts_total" in exporter.text("/metrics")
        with pytest.raises(HTTPError, match="404"):
            exporter.text("/metricsx")


def test_openmetrics_when_asked_for(tmp_path: Path, log: Path) -> None:
    with Exporter(tmp_path, "--log", log) as exporter:
        asked = Request(f"{exporter.url}/metrics", headers={"Accept": "application/openmetrics-text; version=1.0.0"})
        with urlopen(asked, timeout=10) as answer:
            assert answer.headers["Content-Type"].startswith("application/openmetrics-text; version=1.0.0")
            assert answer.read().endswith(b"# EOF\n")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_with_0_before_those_who_are_connected_hang_up(
    number: signal.Signals, tmp_path: Path, log: Path
) -> None:
    with Exporter(tmp_path, "--log", log) as exporter, exporter.connect(), exporter.connect() as halfway:
        halfway.send(b"GET /metrics HTTP/1.1\r\n")
        assert exporter.signal(number) == 0


def test_serve_is_the_default_and_runs_without_any_source(tmp_path: Path) -> None:
    with Exporter(tmp_path) as exporter:
        assert pick(exporter.page(), "sglang_exporter_config_last_reload_successful") == 1


def serve_where_one_does(exporter: Exporter) -> int:
    return main(["serve", "--checkpoint", "none", "--web.listen-address", exporter.url.removeprefix("http://")])


def test_a_port_that_is_taken_is_1(tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Exporter(tmp_path, "--log", log) as exporter:
        assert serve_where_one_does(exporter) == 1
    assert 'msg="cannot listen"' in capsys.readouterr().err


def test_a_second_exporter_of_one_user_is_told_to_keep_its_checkpoint_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("STATE_DIRECTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    first = CheckpointFile(tmp_path / "sglang-exporter", VERSION)
    first.lock()
    assert main(["serve"]) == 1
    first.close()
    (told,) = capsys.readouterr().err.splitlines()
    assert 'msg="no checkpoint can be kept: give another --checkpoint DIR, or none"' in told
    assert f"{tmp_path}/sglang-exporter: another exporter keeps its checkpoint there" in told


def test_lines_show_as_they_are_written(tmp_path: Path) -> None:
    log, outputs = tmp_path / "server.log", tmp_path / "out.jsonl"
    with Exporter(tmp_path, "--log", log, "--outputs", outputs, "--total", "3") as exporter:
        name = tmp_path.name
        assert pick(exporter.page(), "sglang_exporter_source_up", source=f"log:{name}") == 0
        with log.open("a") as file:
            file.write(decode("10:00:00", running=5) + "\n" + decode("10:00:01", running=6))
        running = "sglang_server_running_requests"
        exporter.page_when(lambda page: pick(page, running, server=name) == 5, "the whole line is read")
        with log.open("a") as file:
            file.write("\n")
        exporter.page_when(lambda page: pick(page, running, server=name) == 6, "the other one, when it is whole")
        outputs.write_text('{"id": 1, "response": "x", "usage": {"completion_tokens": 7}}\n')
        page = exporter.page_when(lambda page: pick(page, "sglang_job_done") == 1, "the record is read")
        assert pick(page, "sglang_job_output_tokens_total") == 7
        assert pick(page, "sglang_job_expected") == 3
        assert pick(page, "sglang_exporter_source_up", source=f"log:{name}") == 1


def test_a_file_that_matches_a_glob_later_is_followed(tmp_path: Path) -> None:
    with Exporter(tmp_path, "--log", f"{tmp_path}/{{server}}/server.log", speed=20) as exporter:
        assert pick(exporter.page(), "sglang_exporter_source_up", source="log:{server}") == 0
        (tmp_path / "node9").mkdir()
        (tmp_path / "node9" / "server.log").write_text(decode("10:00:00", running=5) + "\n")
        page = exporter.page_when(
            lambda page: pick(page, "sglang_server_running_requests", server="node9") == 5, "the new file is read"
        )
        assert pick(page, "sglang_exporter_source_up", source="log:{server}") is None


def test_signals_are_let_through_again_when_it_cannot_listen(tmp_path: Path, log: Path) -> None:
    with Exporter(tmp_path, "--log", log) as exporter:
        serve_where_one_does(exporter)
    assert not {signal.SIGTERM, signal.SIGINT} & signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_web_config_is_in_force_and_a_bad_one_is_2(
    tmp_path: Path, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bad, good = tmp_path / "bad.yml", tmp_path / "good.yml"
    bad.write_text("basic_auth_users:\n  al: plain\n")
    arguments = ["serve", "--checkpoint", "none", "--web.listen-address", "127.0.0.1:0", "--log", str(log)]
    assert main([*arguments, "--web.config.file", str(bad)]) == 2
    assert f"{bad}:2: basic_auth_users.al: " in capsys.readouterr().err
    good.write_text("http_server_config: {headers: {X-Frame-Options: deny}}\n")
    with (
        Exporter(tmp_path, "--log", log, "--web.config.file", good) as exporter,
        urlopen(f"{exporter.url}/metrics", timeout=10) as answer,
    ):
        assert answer.headers["X-Frame-Options"] == "deny"


def test_peers_are_shown_no_folder_beside_those_of_the_sources(tmp_path: Path, log: Path) -> None:
    hidden = tmp_path / "backstage"
    hidden.mkdir()
    (hidden / "web.yml").write_text("http_server_config: {headers: {X-Frame-Options: deny}}\n")
    (hidden / "config.yml").write_text(f"servers: [{{logs: {log}, name: shown}}]\n")
    flags = ("--config.file", hidden / "config.yml", "--web.config.file", hidden / "web.yml")
    with Exporter(tmp_path, *flags, checkpoint=hidden / "state") as exporter:
        pages = [exporter.text(path) for path in ("/", "/metrics", "/-/healthy", "/-/ready")]
    assert "shown" in pages[0]
    assert "backstage" not in "".join(pages)
