"""How far a stream has been read, told by hashes alone, so that the place is found again after a restart."""

from hashlib import blake2b
from typing import NamedTuple

import msgspec

from sglang_exporter.follow.disk import Identity
from sglang_exporter.follow.siblings import Sibling

KEPT = 1024
"""Bytes that are kept of either end of what was read: SGLang's logs start alike for less, and end unlike."""


class Place(NamedTuple):
    """A place in the content of a file: after `offset` bytes, of which `head` are the first and `before` the last."""

    offset: int
    head: bytes
    before: bytes


START = Place(0, b"", b"")


class Mark(msgspec.Struct, frozen=True):
    """A place in a file, and what the file is known by; `offset` is into the unpacked content where it is compressed.

    `size` is that of the file on disk and `mtime` its last change, in seconds since the epoch, when it was last looked
    at. `head` and `before` are hashes of up to 1 KiB: of the file's first bytes, and of those before the offset.
    """

    path: str
    device: int
    inode: int
    offset: int
    head: bytes
    before: bytes
    compressed: bool
    size: int
    mtime: float

    @property
    def identity(self) -> Identity:
        """Device and inode."""
        return self.device, self.inode

    @property
    def unread(self) -> int:
        """Bytes after the place, as far as the file's size tells."""
        return 0 if self.compressed else max(0, self.size - self.offset)

    @staticmethod
    def of(file: Sibling, place: Place) -> "Mark":
        """Return the mark of a place in a file."""
        device, inode = file.identity
        return Mark(
            path=file.path,
            device=device,
            inode=inode,
            offset=place.offset,
            head=digest(place.head),
            before=digest(place.before),
            compressed=file.compressed,
            size=file.size,
            mtime=file.mtime,
        )

    @property
    def is_at_start(self) -> bool:
        """Whether there are but NULs before it, or nothing at all: then any file may begin so."""
        return self.before == digest(bytes(min(KEPT, self.offset)))

    def is_at(self, place: Place) -> bool:
        """Tell whether the bytes at a place of the same offset are those of the mark."""
        return (self.head, self.before) == (digest(place.head), digest(place.before))


class Position(msgspec.Struct, frozen=True):
    """What a stream has read so far.

    `open` are the places in its files that are not finished, in the order in which they are read; or, if there are
    none, in the one that was read last. `read` are the ends of the last files that are finished.
    """

    open: tuple[Mark, ...]
    read: tuple[Mark, ...]


def digest(content: bytes) -> bytes:
    """Return a hash of a piece of a file, of which nothing can be read again."""
    return blake2b(content, digest_size=16).digest()
