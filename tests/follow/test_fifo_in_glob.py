"""What is no regular file: it is never opened, and never waited for."""

import os
import socket
from pathlib import Path

from follow.written import FaultyDisk
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.discover import discover
from sglang_exporter.follow.tail import Tail


def test_a_glob_leaves_out_what_is_no_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.log")
    (tmp_path / "folder.log").mkdir()
    (tmp_path / "broken.log").symlink_to("nowhere")
    (tmp_path / "server.log").touch()
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.log"))
        assert [found.path for found in discover([f"{tmp_path}/*.log"])] == [f"{tmp_path}/server.log"]


def test_a_name_is_followed_and_said_not_to_be_a_file(tmp_path: Path, clock: FixedClock) -> None:
    path = tmp_path / "server.log"
    assert [found.path for found in discover([str(path)])] == [str(path)]
    tail = Tail(str(path), clock, from_start_is_history=True)
    os.mkfifo(path)
    tail.read()
    assert (tail.up, tail.error) == (False, f"{path}: Is a FIFO, not a file")
    path.unlink()
    path.mkdir()
    tail.read()
    assert (tail.up, tail.error) == (False, f"{path}: Is a folder, not a file")
    path.rmdir()
    path.write_bytes(b"one\n")
    assert tail.read().lines == [b"one"]
    assert tail.up
    tail.close()


def test_a_path_that_becomes_a_fifo_between_looking_and_opening_does_not_block(
    tmp_path: Path, clock: FixedClock
) -> None:
    os.mkfifo(tmp_path / "server.log")
    (tmp_path / "regular").touch()

    class Swapping(FaultyDisk):
        def stat(self, path: str) -> os.stat_result:
            return super().stat(str(Path(path).with_name("regular")))

    disk = Swapping()
    tail = Tail(str(tmp_path / "server.log"), clock, from_start_is_history=True, disk=disk)
    tail.read()
    assert tail.error == f"{tmp_path}/server.log: Is a FIFO, not a file"
    assert not disk.opened
