"""`assets` writes out what is shipped, and never over what a user changed."""

from pathlib import Path

import pytest

from sglang_exporter.cli import main


def written(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_all_kinds_of_files_are_written(tmp_path: Path) -> None:
    assert main(["assets", "--into", str(tmp_path / "new" / "folder")]) == 0
    names = set(written(tmp_path / "new" / "folder"))
    assert names >= {
        "grafana/json/sglang-server.json",
        "grafana/provisioning/dashboards/sglang.yaml",
        "prometheus/alertmanager.yml",
        "prometheus/rules/alerts.yml",
        "prometheus/runbooks/sglangserverdown.md",
        "prometheus/templates/sglang.tmpl",
        "presets.yaml",
    }


def test_writing_them_again_changes_nothing(tmp_path: Path) -> None:
    assert main(["assets", "--into", str(tmp_path)]) == 0
    before = written(tmp_path)
    assert main(["assets", "--into", str(tmp_path)]) == 0
    assert written(tmp_path) == before


def test_a_file_that_was_changed_is_named_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "prometheus/alertmanager.yml"
    mine.parent.mkdir()
    mine.write_text("route: {receiver: me}\n")
    assert main(["assets", "--into", str(tmp_path)]) == 1
    assert "prometheus/alertmanager.yml" in capsys.readouterr().err
    assert written(tmp_path) == {"prometheus/alertmanager.yml": b"route: {receiver: me}\n"}


def test_a_folder_that_cannot_be_made_is_an_error_without_a_traceback(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("")
    assert main(["assets", "--into", str(tmp_path / "file")]) == 1
    assert capsys.readouterr().err.startswith(f"sglang-exporter: {tmp_path / 'file'}")
