"""A rotated file is compressed, or moved on, while those before it are read."""

from pathlib import Path

from follow.resuming import Restarted, compress
from follow.written import Log


def test_it_is_found_by_its_content(log: Log, restarted: Restarted) -> None:
    older, old = Path(f"{log.path}.2"), Path(f"{log.path}.1")
    older.write_bytes(b"one\ntwo\n")
    old.write_bytes(b"three\n" * 1000)
    log.write(b"four\n")
    stream = restarted.start(".2", ".1")
    assert stream.read(budget=4).lines == [b"one"]
    old.rename(older)
    compress(older)
    assert restarted.read_to_the_end() == [b"two"] + [b"three"] * 1000 + [b"four"]
    assert stream.error is None


def test_one_that_was_given_its_inode_is_another(log: Log, restarted: Restarted) -> None:
    older, old = Path(f"{log.path}.2"), Path(f"{log.path}.1")
    older.write_bytes(b"one\ntwo\n")
    old.write_bytes(b"three\n")
    stream = restarted.start(".2", ".1")
    stream.read(budget=4)
    old.write_bytes(b"other\n")
    assert restarted.read_to_the_end() == [b"two"]
    assert stream.error == f"{old}: Gone before it was read"
    assert stream.counts.lost_bytes == len(b"three\n")
