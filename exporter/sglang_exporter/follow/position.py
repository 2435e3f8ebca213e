"""How far a stream has been read, told by hashes alone, so that the place is found again after a restart."""

from hashlib import blake2b
from typing import NamedTuple

import msgspec

from sglang_exporter.follow.disk import Identity
from sglang_exporter.follow.siblings import Sibling

KEPT = 1024
"""Bytes that are kept of either end of what was read: SGLang's logs start alike for less, and end unlike."""
LOOKS = 64
"""Pieces of NULs that are passed over, at a time, to find the first bytes of a file."""


class Place(NamedTuple):
    """A place in the content of a file: after `offset` bytes, of which `head` are the first and `before` the last.

    At the start, or behind NULs alone, `head` are the bytes that are known to follow.
    """

    offset: int
    head: bytes
    before: bytes

    @property
    def is_start(self) -> bool:
        """Whether there is nothing before it, or but NULs."""
        return not self.before.strip(b"\0")


START = Place(0, b"", b"")


class Mark(msgspec.Struct, frozen=True):
    """A place in a file, and what the file is known by; `offset` is into the unpacked content where it is compressed.

    `size` is that of the file on disk and `mtime` its last change, in seconds since the epoch, when it was last looked
    at. `head` and `before` are hashes of up to 1 KiB: of the file's first bytes, `known` of them, and of those before
    the offset. Where these are but NULs, `head` is that of the bytes after them.
    """

    path: str
    device: int
    inode: int
    offset: int
    known: int
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
            known=len(place.head),
            head=digest(place.head),
            before=digest(place.before),
            compressed=file.compressed,
            size=file.size,
            mtime=file.mtime,
        )

    @property
    def is_start(self) -> bool:
        """Whether there is nothing before it, or but NULs."""
        return self.before == digest(bytes(min(KEPT, self.offset)))

    @property
    def is_blank(self) -> bool:
        """Whether nothing else is known of the content: then any file may begin so."""
        return self.is_start and not self.known

    def is_in(self, file: Sibling) -> bool:
        """Tell whether it may be in that file: the inode may have been used again."""
        return (self.identity, self.compressed) == (file.identity, file.compressed)

    def is_at(self, place: Place) -> bool:
        """Tell whether the bytes at a place of the same offset are those of the mark."""
        return (self.head, self.before) == (digest(place.head), digest(place.before))


class Glimpse(NamedTuple):
    """The end of a file that was seen and could not be read yet, and the bytes of it that were to be read."""

    end: Mark
    unread: int


class Position(msgspec.Struct, frozen=True):
    """What a stream has read so far.

    `open` are the places in its files that are not finished, in the order in which they are read; or, if there are
    none, in the one that was read last. `read` are the ends of the last files that are finished. `glimpsed` is
    what was seen when it was tried in vain to go on from here.
    """

    open: tuple[Mark, ...]
    read: tuple[Mark, ...]
    glimpsed: tuple[Glimpse, ...] = ()


def digest(content: bytes) -> bytes:
    """Return a hash of a piece of a file, of which nothing can be read again."""
    return blake2b(content, digest_size=16).digest()
