"""What happens to the folders that are watched, and what the system refuses."""

import errno
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog.observers import Observer

from follow.observing import Observed
from sglang_exporter.follow.wake import FolderWaker
from sglang_exporter.follow.watches import Watches

LONG = 60.0


@pytest.fixture
def observed() -> Observed:
    return Observed()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    folder.mkdir()
    return folder


@pytest.fixture
def changed() -> threading.Event:
    return threading.Event()


@pytest.fixture
def watches(changed: threading.Event) -> Iterator[Watches]:
    watches = Watches(changed.set, Observer)
    yield watches
    watches.drop()


def test_folders_are_watched_until_they_are_not_asked_for_any_more(observed: Observed, tmp_path: Path) -> None:
    one, two = (tmp_path / name for name in ("one", "two"))
    one.mkdir()
    two.mkdir()
    watches = Watches(lambda: None, observed)
    watches.keep([str(one)])
    watches.keep([str(one), str(two)])
    assert observed.watched == {str(one), str(two)}
    watches.keep([str(two)])
    assert observed.watched == {str(two)}
    watches.drop()
    assert len(observed.observers) == 1


def test_a_missing_folder_is_watched_once_it_is_there(
    tmp_path: Path, watches: Watches, changed: threading.Event
) -> None:
    folder = tmp_path / "later"
    watches.keep([str(folder)])
    assert watches.alive
    folder.mkdir()
    watches.keep([str(folder)])
    (folder / "server.log").touch()
    assert changed.wait(LONG)
    assert not watches.refused


def test_a_folder_that_is_made_again_is_watched_again(folder: Path, watches: Watches, changed: threading.Event) -> None:
    watches.keep([str(folder)])
    folder.rmdir()
    assert changed.wait(LONG)
    folder.mkdir()
    watches.keep([str(folder)])
    assert watches.alive
    changed.clear()
    (folder / "server.log").touch()
    assert changed.wait(LONG)


def test_a_folder_that_takes_the_place_of_another_is_watched(
    folder: Path, tmp_path: Path, watches: Watches, changed: threading.Event
) -> None:
    watches.keep([str(folder)])
    folder.rename(tmp_path / "aside")
    folder.mkdir()
    watches.keep([str(folder)])
    changed.clear()
    (folder / "server.log").touch()
    assert changed.wait(LONG)


def test_a_link_to_a_folder_is_watched_where_it_leads(
    folder: Path, tmp_path: Path, watches: Watches, changed: threading.Event
) -> None:
    link = tmp_path / "link"
    link.symlink_to(folder)
    watches.keep([str(link)])
    (folder / "server.log").touch()
    assert changed.wait(LONG)


def test_a_dead_watch_is_noticed_and_renewed(observed: Observed, folder: Path) -> None:
    watches = Watches(lambda: None, observed)
    watches.keep([str(folder)])
    for emitter in observed.observers[0].emitters:
        emitter.stop()
        emitter.join()
    alive = [watches.alive]
    watches.keep([str(folder)])
    assert [*alive, watches.alive] == [False, True]
    assert len(observed.observers) == 1
    watches.drop()


def test_a_dead_observer_is_noticed_and_replaced(observed: Observed, folder: Path) -> None:
    watches = Watches(lambda: None, observed)
    watches.keep([str(folder)])
    observed.observers[0].stop()
    observed.observers[0].join()
    alive = [watches.alive]
    watches.keep([str(folder)])
    assert [*alive, watches.alive] == [False, True]
    assert len(observed.observers) == 2
    watches.drop()


@pytest.mark.parametrize(
    "refusal",
    [OSError(errno.EMFILE, "inotify instance limit reached"), OSError(errno.ENOSPC, "inotify watch limit reached")],
)
@pytest.mark.parametrize("refused", ["refuses_observers", "refuses_watches"])
def test_when_the_system_refuses_it_is_said_once_and_the_clock_is_left(
    observed: Observed, folder: Path, caplog: pytest.LogCaptureFixture, refused: str, refusal: OSError
) -> None:
    setattr(observed, refused, refusal)
    waker = FolderWaker(new_observer=observed)
    for _ in range(3):
        waker.watch([str(folder)])
        waker.wait(0.0)
    assert (waker.backend, waker.alive(), observed.watched) == ("polling", True, set())
    assert [record.getMessage() for record in caplog.records] == [
        f"Files are looked at by the clock alone: folders cannot be watched: {refusal}"
    ]
    waker.close()


def test_a_folder_that_is_gone_between_looking_and_watching_refuses_nothing(observed: Observed, folder: Path) -> None:
    observed.refuses_watches = FileNotFoundError(errno.ENOENT, "No such file or directory")
    watches = Watches(lambda: None, observed)
    watches.keep([str(folder)])
    observed.refuses_watches = None
    watches.keep([str(folder)])
    assert observed.watched == {str(folder)}
    watches.drop()


def test_more_folders_than_threads_are_worth_are_looked_at_by_the_clock(
    observed: Observed, caplog: pytest.LogCaptureFixture
) -> None:
    waker = FolderWaker(new_observer=observed)
    waker.watch(f"/logs/{i}" for i in range(257))
    assert waker.backend == "polling"
    assert "more than 256" in caplog.text


def test_a_file_in_the_place_of_a_folder_is_not_watched(tmp_path: Path, watches: Watches) -> None:
    (tmp_path / "logs").touch()
    watches.keep([str(tmp_path / "logs")])
    assert watches.alive
    assert not watches.refused


def test_folders_that_vanish_leave_nothing_behind(observed: Observed, folder: Path) -> None:
    watches = Watches(lambda: None, observed)
    watches.keep([str(folder)])
    shutil.rmtree(folder)
    watches.keep([str(folder)])
    assert observed.watched == set()
    assert watches.alive
    watches.drop()
