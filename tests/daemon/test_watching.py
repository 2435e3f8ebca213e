"""What can happen to the hints of the file system: the daemon goes on, and is watching again afterwards."""

import shutil
from functools import partial
from pathlib import Path

from support.exporter import Exporter, Samples, pick
from support.servers import prefill

TOTAL = "sglang_server_prefill_tokens_total"
BACKEND = "sglang_exporter_watch_backend"
QUEUE = Path("/proc/sys/fs/inotify/max_queued_events")


def has_read(tokens: int, page: Samples) -> bool:
    return pick(page, TOTAL) == tokens


def test_more_events_than_the_system_keeps(tmp_path: Path) -> None:
    log, other = tmp_path / "node7.log", tmp_path / "other"
    log.write_text(prefill("10:00:00") + "\n")
    with Exporter(tmp_path, "--log", log, speed=20) as exporter:
        exporter.page_when(lambda page: has_read(50, page) and exporter.watches == 1, "it is watched")
        with exporter.frozen(), log.open("a") as file, other.open("a", buffering=1) as beside:
            for _ in range(int(QUEUE.read_text()) // 2 + 1000):
                file.write("\n")
                file.flush()
                beside.write("\n")
            file.write(prefill("10:00:01") + "\n")
        page = exporter.page_when(partial(has_read, 100), "what was written is read")
        assert pick(page, BACKEND, backend="inotify") == 1
        log.rename(tmp_path / "node7.log.1")
        log.write_text(prefill("10:00:02") + "\n")
        exporter.page_when(partial(has_read, 150), "a rotation is followed")


def test_a_folder_that_is_deleted_and_made_again(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "node7.log"
    with Exporter(tmp_path, "--log", log, speed=20) as exporter:
        for life in (1, 2, 3):
            log.parent.mkdir()
            log.write_text(prefill(f"10:00:0{life}") + "\n")
            page = exporter.page_when(partial(has_read, 50 * life), "it is read")
            exporter.wait(lambda: exporter.watches == 1, 20, "it is watched")
            assert pick(page, BACKEND, backend="inotify") == 1
            shutil.rmtree(log.parent)
            exporter.page_when(lambda page: pick(page, "sglang_exporter_source_up") == 0, "it is missed")


def test_under_too_many_events_a_page_still_shows_what_was_written_before_it(tmp_path: Path) -> None:
    log = tmp_path / "node7.log"
    log.write_text(prefill("10:00:00") + "\n")
    with Exporter(tmp_path, "--log", log) as exporter, log.open("a", buffering=1) as file:
        exporter.page_when(lambda page: has_read(50, page) and exporter.watches == 1, "it is watched")
        for number in range(500):
            (tmp_path / f"other-{number % 2}").write_bytes(b"")
        exporter.wait(lambda: exporter.watches == 0, 20, "its folder is left alone")
        shown = 0
        for number in range(10):
            file.write(prefill(f"10:00:1{number}") + "\n")
            shown += has_read(50 * (number + 2), exporter.page())
    assert shown >= 8  # a page in the midst of a round does not wait for the next
