"""A restart, and the place cannot be found: because it is gone, or because nothing can be seen for now."""

import errno
import gzip
import os
import shutil
from pathlib import Path

import pytest

from follow.resuming import Restarted
from follow.written import FaultyDisk, Log, read_all


def test_what_is_younger_is_read(log: Log, restarted: Restarted) -> None:
    for number, age in ((3, 100), (1, -100)):
        file = Path(f"{restarted.path}.{number}")
        file.write_bytes(b"rotated %d\n" % number)
        now = log.path.stat().st_mtime
        os.utime(file, (now - age, now - age))
    log.write(b"one\ntwo\n")
    restarted.stream.read(budget=4)
    restarted.stop()
    log.path.unlink()
    restarted.path.write_bytes(b"three\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"rotated 1", b"three"]
    assert restarted.stream.lost_position
    assert restarted.stream.counts.lost_bytes == len(b"two\n")


def test_an_inode_that_another_file_was_given_is_not_taken_for_the_old_one(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.truncate()
    log.write(b"other\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"other"]


@pytest.mark.parametrize("call", ["stat", "open", "fstat", "pread", "names"])
@pytest.mark.parametrize("error", [errno.EIO, errno.ESTALE, errno.EMFILE, errno.EACCES])
def test_trouble_is_said_and_waited_for(
    log: Log, restarted: Restarted, disk: FaultyDisk, call: str, error: int
) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    log.write(b"two\n")
    log.rename("server.log.1")
    restarted.path.write_bytes(b"three\n")
    stream = restarted.start()
    position = stream.position
    disk.faults[call] = error
    assert read_all(stream) == []
    assert (stream.up, stream.behind) == (False, 0)
    assert stream.error == f"{restarted.path}: {os.strerror(error)}"
    assert stream.position
    assert position
    assert (stream.position.open, stream.position.read) == (position.open, position.read)
    disk.faults.clear()
    assert restarted.read_to_the_end() == [b"two", b"three"]
    assert (restarted.stream.up, restarted.stream.error, restarted.stream.lost_position) == (True, None, False)


def test_a_folder_that_is_not_mounted_yet_is_waited_for(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    folder = restarted.path.parent
    folder.rename(f"{folder}.away")
    stream = restarted.start()
    assert read_all(stream) == []
    assert stream.error == f"{restarted.path}: No such file or directory"
    assert (stream.up, stream.caught_up) == (False, True)
    restarted.stop()
    restarted.start()
    Path(f"{folder}.away").rename(folder)
    log.write(b"two\n")
    assert restarted.read_to_the_end() == [b"two"]


def test_an_unreadable_neighbour_matters_to_nobody(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    Path(f"{restarted.path}.1").symlink_to("nowhere")
    Path(f"{restarted.path}.2").mkdir()
    Path(f"{restarted.path}.3").symlink_to(f"{restarted.path}.3")
    os.mkfifo(f"{restarted.path}.4")
    Path(f"{restarted.path}.5.gz").write_bytes(b"no gzip")
    Path(f"{restarted.path}.6.gz").write_bytes(gzip.compress(b"one\n")[:-4])
    log.write(b"two\n")
    log.rename("server.log.7")
    restarted.path.write_bytes(b"three\n")
    restarted.start()
    assert restarted.read_to_the_end()[:1] == [b"two"]
    assert not restarted.stream.lost_position


def test_a_hidden_file_is_waited_for_only_if_it_is_the_one(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    restarted.read_and_stop()
    hidden = Path(shutil.copy(log.path, f"{restarted.path}.1"))
    log.truncate()
    log.write(b"two\n")
    disk.hidden.add(str(hidden))
    restarted.start()
    assert restarted.read_to_the_end() == [b"two"]
    assert restarted.stream.lost_position
