"""Files that were seen before a restart, but not read yet: each is found again by its first bytes, whatever its name."""

import errno
import shutil
from pathlib import Path

from follow.resuming import Restarted, compress
from follow.reusing import ReusingDisk
from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock


def test_it_is_found_in_its_copy(log: Log, restarted: Restarted) -> None:
    log.write(b"one\n")
    restarted.stream.read(budget=1)
    restarted.stop()
    shutil.copyfile(log.path, f"{log.path}.1")
    log.truncate()
    log.write(b"two\n")
    restarted.start()
    assert restarted.read_to_the_end() == [b"one", b"two"]


def test_each_of_those_that_wait_is_found_where_the_first_is_gone(log: Log, restarted: Restarted) -> None:
    first, second = (restarted.path.with_name(f"server.log.{number}") for number in (2, 1))
    second.write_bytes(b"two\n")
    first.write_bytes(b"one\nlate\n")  # it was changed after the second one
    log.write(b"three\n")
    restarted.start(".2", ".1")
    restarted.stream.read(budget=1)
    restarted.stop()
    first.unlink()
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"]
    assert restarted.stream.counts.lost_bytes == len(b"one\nlate\n")


def test_another_file_with_its_inode_is_not_taken_for_it(clock: FixedClock, tmp_path: Path) -> None:
    disk = ReusingDisk(str(tmp_path))
    path, runs = tmp_path / "server.log", [tmp_path / f"run-{number}.log" for number in range(3)]
    restarted = Restarted(path, clock, disk)
    inodes = []
    for run in runs:
        run.write_bytes(b"of %s\n" % run.name.encode())
        path.unlink(missing_ok=True)
        path.symlink_to(run)
        disk.number()
        inodes.append(disk.stat(str(path)).st_ino)
        if run != runs[-1]:
            restarted.stream.read(budget=1)
            restarted.stop()
        if run == runs[0]:
            run.unlink()
    assert inodes == [1, 1, 2]
    restarted.start()
    assert restarted.read_to_the_end() == [b"of run-1.log", b"of run-2.log"]
    restarted.stream.close()


def test_what_was_cut_while_its_folder_could_not_be_read_is_not_lost(
    log: Log, restarted: Restarted, disk: FaultyDisk
) -> None:
    log.write(b"one\n")
    assert read_all(restarted.stream) == [b"one"]
    log.truncate()
    log.write(b"two\nthree\n")
    disk.faults["names"] = errno.ESTALE
    assert restarted.stream.read().lines == []
    restarted.stop()
    disk.faults.clear()
    restarted.start()
    assert restarted.read_to_the_end() == [b"two", b"three"]
    assert restarted.stream.counts.lost_bytes == 0


def test_a_file_that_broke_and_was_compressed_comes_once(log: Log, restarted: Restarted, disk: FaultyDisk) -> None:
    log.write(b"one\n")
    restarted.stream.read(budget=1)
    disk.faults["pread"] = errno.ESTALE
    restarted.stream.read()
    disk.faults.clear()
    log.rename("server.log.1")
    compress(log.path)
    restarted.path.write_bytes(b"two\n")
    disk.faults["pread"] = errno.ESTALE
    restarted.stream.read()
    disk.faults.clear()
    assert restarted.read_to_the_end() == [b"one", b"two"]


def test_an_empty_compressed_file_that_is_gone_is_no_loss(log: Log, restarted: Restarted) -> None:
    empty = restarted.path.with_name("server.log.1")
    empty.touch()
    compress(empty)
    log.write(b"one\n")
    restarted.start(".1.gz")
    restarted.stream.read(budget=0)
    Path(f"{empty}.gz").unlink()
    assert restarted.read_to_the_end() == [b"one"]
    assert restarted.stream.counts.lost_bytes == 0
