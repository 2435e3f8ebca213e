"""One open descriptor of a regular file."""

import errno
import os
from contextlib import suppress

from sglang_exporter.follow.disk import CUT, Disk, Identity, identity_of, open_regular


class OpenFile:
    """A file that is open for reading, with its `status` as it was last told; everything here may raise OSError."""

    def __init__(self, disk: Disk, path: str, expected: Identity | None = None) -> None:
        self._disk = disk
        self._fd, self.status = open_regular(disk, path, expected)
        self.identity = identity_of(self.status)
        self.forget()

    def reopen(self, path: str) -> None:
        """Take a new descriptor of the same file, after the old one has failed."""
        fd, _ = open_regular(self._disk, path, self.identity)
        self.close()
        self._fd = fd
        self.forget()

    def close(self) -> None:
        """Close the file; what a disk may still have to say about it matters to nobody."""
        with suppress(OSError):
            self._disk.close(self._fd)

    @property
    def links(self) -> int:
        """How many names the file has now."""
        return self._disk.fstat(self._fd).st_nlink

    def refresh(self, told: os.stat_result | None = None) -> None:
        """Take note of its present status, unless it was just told of."""
        self.status = told or self._disk.fstat(self._fd)

    def look_ahead(self, size: int, position: int) -> None:
        """Read at once what will be asked for piece by piece, until it is to be forgotten."""
        self._ahead, self._ahead_from = self._disk.pread(self._fd, size, position), position

    def forget(self) -> None:
        """Look into the file again from now on."""
        self._ahead, self._ahead_from = b"", 0

    def read(self, size: int, position: int) -> bytes:
        """Return at most `size` bytes from `position` on."""
        start = position - self._ahead_from
        if 0 <= start <= len(self._ahead) - size:
            return self._ahead[start : start + size]
        return self._disk.pread(self._fd, size, position)

    def read_whole(self, size: int, position: int) -> bytes:
        """Return all of `size` bytes that were there before."""
        content = self.read(size, position)
        if len(content) < size:
            raise OSError(errno.EAGAIN, CUT)
        return content

    def has(self, content: bytes, position: int) -> bool:
        """Tell whether these bytes are there."""
        start = position - self._ahead_from
        if 0 <= start <= len(self._ahead) - len(content):
            return self._ahead.startswith(content, start)
        return not content or self._disk.pread(self._fd, len(content), position) == content

    def data_start(self, position: int) -> int:
        """Return where data begins, at or after a position."""
        return self._disk.data_start(self._fd, position)
