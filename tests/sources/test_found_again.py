"""What globs match is made streams of again where any of it has changed, and only there."""

from pathlib import Path

import pytest

from sglang_exporter.follow.discover import Found
from sglang_exporter.sources import named
from sglang_exporter.sources.named import Named


@pytest.fixture
def files(tmp_path: Path) -> Named:
    (tmp_path / "a.log").write_bytes(b"a")
    return Named([f"{tmp_path}/*.log*", f"{tmp_path}/given.log"], "server", None, {})


def found(files: Named, folder: Path) -> list[tuple[str, list[str]]]:
    """Return the names of the files that are written now, and of the rotated ones of each."""
    return [
        (Path(stream.path).name, [Path(older).name for older in stream.older])
        for stream, _ in files.find()
        if Path(stream.path).parent == folder
    ]


def test_nothing_is_made_again_of_what_is_there_still(
    files: Named, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = found(files, tmp_path)
    (tmp_path / "a.log").write_bytes(b"and more")

    def discover(*_: object) -> list[Found]:
        raise AssertionError("discovered again")

    monkeypatch.setattr(named, "discover", discover)
    assert found(files, tmp_path) == before == [("a.log", []), ("given.log", [])]


def test_what_comes_goes_and_is_renamed_is_seen(files: Named, tmp_path: Path) -> None:
    found(files, tmp_path)
    (tmp_path / "b.log").touch()
    assert found(files, tmp_path) == [("a.log", []), ("b.log", []), ("given.log", [])]
    (tmp_path / "a.log").rename(tmp_path / "b.log.1")
    assert found(files, tmp_path) == [("b.log", ["b.log.1"]), ("given.log", [])]
    (tmp_path / "b.log.1").unlink()
    assert found(files, tmp_path) == [("b.log", []), ("given.log", [])]


def test_a_second_name_of_a_file_is_told_from_a_file_of_its_own(files: Named, tmp_path: Path) -> None:
    (tmp_path / "b.log").touch()
    (tmp_path / "link.log").symlink_to("b.log")
    assert found(files, tmp_path) == [("a.log", []), ("b.log", []), ("given.log", [])]
    (tmp_path / "elsewhere").touch()
    (tmp_path / "link.log").unlink()
    (tmp_path / "link.log").symlink_to("elsewhere")
    assert found(files, tmp_path) == [("a.log", []), ("b.log", []), ("link.log", []), ("given.log", [])]


def test_what_a_link_leads_to_may_come_later_and_become_a_folder(files: Named, tmp_path: Path) -> None:
    (tmp_path / "link.log").symlink_to("later")
    assert found(files, tmp_path) == [("a.log", []), ("given.log", [])]
    (tmp_path / "later").touch()
    assert found(files, tmp_path) == [("a.log", []), ("link.log", []), ("given.log", [])]
    (tmp_path / "later").unlink()
    (tmp_path / "later").mkdir()
    assert found(files, tmp_path) == [("a.log", []), ("given.log", [])]


def test_a_loop_of_links_is_nothing(files: Named, tmp_path: Path) -> None:
    (tmp_path / "loop.log").symlink_to("pool.log")
    (tmp_path / "pool.log").symlink_to("loop.log")
    assert found(files, tmp_path) == [("a.log", []), ("given.log", [])]
