"""Whether a configuration file is another than the one that was loaded."""

from pathlib import Path

from sglang_exporter.reload import Looks


def test_a_change_is_told_once(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("servers: []\n")
    looks = Looks(file)
    assert not looks.changed()
    file.write_text("servers: [a]\n")
    assert looks.changed()
    assert not looks.changed()


def test_a_file_that_goes_and_one_that_comes_are_changes(tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text("servers: []\n")
    looks = Looks(file)
    file.unlink()
    assert looks.changed()
    file.write_text("servers: []\n")
    assert looks.changed()


def test_no_file_never_changes() -> None:
    assert not Looks(None).changed()
