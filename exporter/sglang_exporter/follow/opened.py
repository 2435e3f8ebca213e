"""One open descriptor of a regular file."""

import errno
from contextlib import suppress

from sglang_exporter.follow.disk import CUT, Disk, Identity, identity_of, open_regular


class OpenFile:
    """A file that is open for reading, with its `status` as it was last told; everything here may raise OSError."""

    def __init__(self, disk: Disk, path: str, expected: Identity | None = None) -> None:
        self._disk = disk
        self._fd, self.status = open_regular(disk, path, expected)
        self.identity = identity_of(self.status)

    def reopen(self, path: str) -> None:
        """Take a new descriptor of the same file, after the old one has failed."""
        fd, _ = open_regular(self._disk, path, self.identity)
        self.close()
        self._fd = fd

    def close(self) -> None:
        """Close the file; what a disk may still have to say about it matters to nobody."""
        with suppress(OSError):
            self._disk.close(self._fd)

    @property
    def links(self) -> int:
        """How many names the file has now."""
        return self._disk.fstat(self._fd).st_nlink

    def refresh(self) -> None:
        """Take note of its present status."""
        self.status = self._disk.fstat(self._fd)

    def read(self, size: int, position: int) -> bytes:
        """Return at most `size` bytes from `position` on."""
        return self._disk.pread(self._fd, size, position)

    def read_whole(self, size: int, position: int) -> bytes:
        """Return all of `size` bytes that were there before."""
        content = self.read(size, position)
        if len(content) < size:
            raise OSError(errno.EAGAIN, CUT)
        return content

    def has(self, content: bytes, position: int) -> bool:
        """Tell whether these bytes are there."""
        return not content or self._disk.pread(self._fd, len(content), position) == content

    def data_start(self, position: int) -> int:
        """Return where data begins, at or after a position."""
        return self._disk.data_start(self._fd, position)
