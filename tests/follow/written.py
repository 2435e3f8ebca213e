"""What the tests of following have in common: a log to write to, a reader to its end, and a disk that fails."""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, Protocol

from sglang_exporter.follow.disk import SystemDisk
from sglang_exporter.follow.tail import Chunk


class Reader(Protocol):
    """A tail, a stream, or a history."""

    @property
    def behind(self) -> int: ...

    def read(self, budget: int = ...) -> Chunk: ...


class Log:
    """A log as its writer sees it: open for appending, whatever its name is by now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, content: bytes) -> None:
        os.write(self._fd, content)

    def rename(self, name: str) -> None:
        """Rename it; its writer goes on writing to it."""
        self.path = self.path.rename(self.path.with_name(name))

    def truncate(self, size: int = 0) -> None:
        os.ftruncate(self._fd, size)

    def set_age(self, seconds: float) -> None:
        """Let it look as if it had last been written so long ago."""
        mtime = os.fstat(self._fd).st_mtime - seconds
        os.utime(self._fd, (mtime, mtime))

    def close(self) -> None:
        os.close(self._fd)


def read_all(reader: Reader, budget: int = 256 << 10) -> list[bytes]:
    """Read until nothing is left."""
    lines = reader.read(budget).lines
    while reader.behind:
        lines += reader.read(budget).lines
    return lines


class Awaited(NamedTuple):
    """A read of a file from a position on, or a look at the names in a folder, and what is to happen then."""

    path: Path
    position: int | None
    size: int
    action: Callable[[], None]

    def is_met(self, status: os.stat_result, position: int | None, size: int) -> bool:
        """Tell whether a call is the one."""
        is_there = self.path.exists() and os.path.samestat(self.path.stat(), status)
        return is_there and self.position == position and self.size <= size


class FaultyDisk(SystemDisk):
    """A disk on which the calls named in `faults` fail with these error numbers.

    `opened` are its open descriptors, `stale` those that cannot be used any more, `sizes` what was asked for at each read,
    `hidden` the paths that we may not open, `awaited` the reads and listings before or after which something is to happen
    yet. Not every disk `tells_holes`.
    """

    def __init__(self) -> None:
        self.faults: dict[str, int] = {}
        self.opened: set[int] = set()
        self.stale: set[int] = set()
        self.hidden: set[str] = set()
        self.tells_holes = True
        self.sizes: list[int] = []
        self.awaited: list[Awaited] = []

    def before_read(self, path: Path, position: int, action: Callable[[], None], *, size: int = 0) -> None:
        """Do something once, before the next read from `position` on of the file that is at `path` then.

        It is one of `size` bytes at least.
        """
        self.awaited.append(Awaited(path, position, size, action))

    def fail_read(self, path: Path, position: int, error: int) -> None:
        """Let the next read from `position` on fail, of the file that is at `path` then."""
        self.before_read(path, position, lambda: _raise(error))

    def after_listing(self, folder: Path, action: Callable[[], None]) -> None:
        """Do something once, after the next look at the names in a folder."""
        self.awaited.append(Awaited(folder, None, 0, action))

    def stat(self, path: str) -> os.stat_result:
        self._fail("stat")
        return super().stat(path)

    def open(self, path: str) -> int:
        self._fail("open")
        if path in self.hidden:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
        fd = super().open(path)
        self.opened.add(fd)
        return fd

    def fstat(self, fd: int) -> os.stat_result:
        self._fail("fstat", fd)
        return super().fstat(fd)

    def pread(self, fd: int, size: int, position: int) -> bytes:
        self.sizes.append(size)
        self._fail("pread", fd)
        self._meet(os.fstat(fd), position, size)
        return super().pread(fd, size, position)

    def data_start(self, fd: int, position: int) -> int:
        self._fail("data_start", fd)
        return super().data_start(fd, position) if self.tells_holes else position

    def names(self, folder: str) -> list[str]:
        self._fail("names")
        names = super().names(folder)
        self._meet(Path(folder).stat(), None, 0)
        return names

    def close(self, fd: int) -> None:
        self.opened.discard(fd)
        self.stale.discard(fd)
        super().close(fd)
        self._fail("close")

    def _fail(self, call: str, fd: int = -1) -> None:
        if number := errno.ESTALE if fd in self.stale else self.faults.get(call):
            _raise(number)

    def _meet(self, status: os.stat_result, position: int | None, size: int) -> None:
        """Do what was to happen at this call."""
        met = [awaited for awaited in self.awaited if awaited.is_met(status, position, size)]
        self.awaited = [awaited for awaited in self.awaited if awaited not in met]
        for awaited in met:
            awaited.action()


def _raise(error: int) -> None:
    raise OSError(error, os.strerror(error))


class LaggingDisk(FaultyDisk):
    """A disk on the network: while it `lags`, what it says of files is what it said before."""

    def __init__(self) -> None:
        super().__init__()
        self.lags = False
        self._said: dict[str | int, os.stat_result] = {}

    def stat(self, path: str) -> os.stat_result:
        if not self.lags or path not in self._said:
            self._said[path] = super().stat(path)
        return self._said[path]

    def fstat(self, fd: int) -> os.stat_result:
        if not self.lags or fd not in self._said:
            self._said[fd] = super().fstat(fd)
        return self._said[fd]

    def close(self, fd: int) -> None:
        self._said.pop(fd, None)
        super().close(fd)
