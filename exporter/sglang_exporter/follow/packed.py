"""One compressed file: the lines packed in it."""

import gzip
import io
from contextlib import suppress

from sglang_exporter.follow.chunk import Counts
from sglang_exporter.follow.disk import Disk, identity_of, open_regular
from sglang_exporter.follow.position import Mark, Place
from sglang_exporter.follow.siblings import Sibling
from sglang_exporter.follow.splitter import Splitter
from sglang_exporter.follow.trail import Trail


class PackedFile:
    """A `.gz` file, of which nobody expects that it is written any more; it is read from `start` of its content on.

    What is opened or read may raise OSError, EOFError or zlib.error.
    """

    def __init__(self, disk: Disk, file: Sibling, counts: Counts, max_line: int, start: Place) -> None:
        self.path = file.path
        self._disk = disk
        self._counts = counts
        self._fd, status = open_regular(disk, file.path, file.identity)
        self.identity = identity_of(status)
        self.mtime = status.st_mtime
        self._size = status.st_size
        self._raw = io.FileIO(self._fd, closefd=False)
        self._content = gzip.GzipFile(fileobj=self._raw)
        self._skip = start.offset
        self._trail = Trail(start)
        self._splitter = Splitter(counts, max_line)
        self._ended = False

    def close(self) -> None:
        """Close the file."""
        self._content.close()
        with suppress(OSError):
            self._disk.close(self._fd)

    @property
    def unread(self) -> int:
        """Bytes on disk that are still to be unpacked; at least one until the end has been seen."""
        return 0 if self._ended else max(1, self._size - self._raw.tell())

    @property
    def file(self) -> Sibling:
        """The file as it lies on disk."""
        return Sibling(self.path, self.identity, self._size, self.mtime)

    @property
    def place(self) -> Place:
        """The place in the content after the last complete line."""
        return self._trail.place

    @property
    def mark(self) -> Mark:
        """The same place, to be found again."""
        return Mark.of(self.file, self.place)

    def read(self, budget: int) -> list[bytes]:
        """Return the lines that are completed by the next `budget` bytes of content."""
        if self._skip:
            self._skip -= len(self._unpack(min(self._skip, budget))) or self._skip
            return []
        block = self._unpack(budget)
        self._ended = not block
        if block.startswith(b"\0") and self._trail.is_at_start and not self._trail.unfinished:
            text = block.lstrip(b"\0")
            self._trail.skip_hole(len(block) - len(text))
            block = text
        return self._split(block)

    def finish(self) -> list[bytes]:
        """Return the unfinished line, if there is one, as if it were complete."""
        lines = self._splitter.finish()
        self._counts.bytes += self._trail.advance(b"", 0)
        return lines

    def _unpack(self, most: int) -> bytes:
        """Return the next bytes of content; of a file that is cut, where read() returns nothing, all before the cut."""
        parts: list[bytes] = []
        while most > 0:
            try:
                part = self._content.read1(most)
            except EOFError:
                if not parts:
                    raise
                break
            if not part:
                break
            parts.append(part)
            most -= len(part)
        return b"".join(parts)

    def _split(self, block: bytes) -> list[bytes]:
        cut = block.rfind(b"\n") + 1
        if cut:
            self._counts.bytes += self._trail.advance(block, cut)
        else:
            self._trail.look_past(block)
        return self._splitter.feed(block)
