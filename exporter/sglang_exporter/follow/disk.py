"""What following asks of the operating system, in one place, so that a test can hand in a disk that fails."""

import errno
import os
import resource
import stat
from typing import Protocol

Identity = tuple[int, int]
"""Device and inode: what a file keeps when it is renamed."""

_READ_ONLY = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_RESERVED = 128
"""Descriptors that are left for scrapes and the checkpoint, however many files there are."""
_PASSING = {
    errno.EAGAIN,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ESTALE,
    errno.ETIMEDOUT,
}
_KINDS = {
    stat.S_IFDIR: "a folder",
    stat.S_IFIFO: "a FIFO",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}
_OTHER_KIND = "no regular file"
ROTATED = "Was rotated while it was looked at"
CUT = "Was cut while it was read"
GONE = "Gone before it was read"
ENDED = "has ended"
OWN_WORDS = frozenset(
    (ROTATED, CUT, GONE, ENDED, *(f"Is {kind}, not a file" for kind in (*_KINDS.values(), _OTHER_KIND)))
)
"""What is said of a path besides the words of the system."""


class Disk(Protocol):
    """The calls by which files are followed; each raises OSError as its namesake in `os` does."""

    def stat(self, path: str) -> os.stat_result:
        """Return the status of what a path leads to."""
        ...

    def open(self, path: str) -> int:
        """Open a file for reading, without waiting for anybody, and return its descriptor."""
        ...

    def fstat(self, fd: int) -> os.stat_result:
        """Return the status of an open file."""
        ...

    def pread(self, fd: int, size: int, position: int) -> bytes:
        """Return at most `size` bytes from `position` on."""
        ...

    def data_start(self, fd: int, position: int) -> int:
        """Return where data begins, at or after a position; the position itself where holes are not told."""
        ...

    def names(self, folder: str) -> list[str]:
        """Return the names of what is in a folder."""
        ...

    def close(self, fd: int) -> None:
        """Close a descriptor."""
        ...


class SystemDisk:
    """The disk of the host."""

    def stat(self, path: str) -> os.stat_result:
        """Return the status of what a path leads to."""
        return os.stat(path)  # noqa: PTH116 -- a path is a string here: this runs for each file each second

    def open(self, path: str) -> int:
        """Open a file for reading, without waiting for anybody, and return its descriptor."""
        fd = os.open(path, _READ_ONLY)
        most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        if fd < most - _RESERVED:
            return fd
        os.close(fd)
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    def fstat(self, fd: int) -> os.stat_result:
        """Return the status of an open file."""
        return os.fstat(fd)

    def pread(self, fd: int, size: int, position: int) -> bytes:
        """Return at most `size` bytes from `position` on."""
        return os.pread(fd, size, position)

    def data_start(self, fd: int, position: int) -> int:
        """Return where data begins, at or after a position; the position itself where holes are not told."""
        try:
            return os.lseek(fd, position, os.SEEK_DATA)
        except OSError as error:
            return self.fstat(fd).st_size if error.errno == errno.ENXIO else position

    def names(self, folder: str) -> list[str]:
        """Return the names of what is in a folder."""
        return os.listdir(folder)  # noqa: PTH208 -- names are wanted, not paths

    def close(self, fd: int) -> None:
        """Close a descriptor."""
        os.close(fd)


SYSTEM_DISK = SystemDisk()


def identity_of(status: os.stat_result) -> Identity:
    """Return the device and the inode."""
    return status.st_dev, status.st_ino


def require_regular(status: os.stat_result) -> os.stat_result:
    """Return the status of a regular file; raise OSError for anything else, which opening or reading may disturb."""
    if not stat.S_ISREG(status.st_mode):
        kind = _KINDS.get(stat.S_IFMT(status.st_mode), _OTHER_KIND)
        raise OSError(errno.EINVAL, f"Is {kind}, not a file")
    return status


def open_regular(disk: Disk, path: str, expected: Identity | None = None) -> tuple[int, os.stat_result]:
    """Open a regular file and return its descriptor and status; raise OSError where that cannot be done.

    That is so, for the moment, if another file than the expected one is there.
    """
    try:
        require_regular(disk.stat(path))
        fd = disk.open(path)
    except FileNotFoundError:
        if expected:
            raise _rotated() from None
        raise
    try:
        status = require_regular(disk.fstat(fd))
    except OSError:
        disk.close(fd)
        raise
    if expected not in (None, identity_of(status)):
        disk.close(fd)
        raise _rotated()
    return fd, status


def _rotated() -> OSError:
    return OSError(errno.EAGAIN, ROTATED)


def is_passing(error: Exception) -> bool:
    """Tell whether it is the host, or the network, that is in trouble, and not the file."""
    return isinstance(error, OSError) and error.errno in _PASSING


def trouble(path: str, error: Exception) -> str:
    """Return what is wrong with a path, as one clear phrase."""
    return f"{path}: {getattr(error, 'strerror', None) or error}"
