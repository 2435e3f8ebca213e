"""The rotated files of a stream: each read once, whole, before the file that is written now."""

import errno
import gzip
import io
import zlib
from collections import deque
from collections.abc import Collection, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sglang_exporter.follow.chunk import BUDGET, NOTHING, Chunk, Counts
from sglang_exporter.follow.disk import SYSTEM_DISK, Disk, Identity, identity_of, open_regular, trouble
from sglang_exporter.follow.rotated import COMPRESSED
from sglang_exporter.follow.splitter import Splitter


class _Waiting(NamedTuple):
    """A file still to be read, as it was found."""

    path: str
    identity: Identity
    size: int


class _Open(NamedTuple):
    """The file that is being read: what lies on disk, and its content."""

    path: str
    size: int
    mtime: float
    raw: io.FileIO
    content: gzip.GzipFile | io.FileIO


class History:
    """Lines of files that nobody writes to any more, oldest first; of `.gz` files the lines packed in them.

    Which files they are is noted at once, so that a rotation meanwhile changes nothing: one that has moved on is sought
    by its inode among its neighbours. What is in `held`, or comes twice under two names, is left out. A file that
    cannot be read, or is damaged, is left where that shows, and `error` says so from then on.
    """

    def __init__(
        self,
        paths: Iterable[str],
        counts: Counts,
        *,
        max_line: int,
        live: bool = False,
        held: Collection[Identity] = (),
        disk: Disk = SYSTEM_DISK,
    ) -> None:
        self.error: str | None = None
        self._disk = disk
        self._live = live
        self._splitter = Splitter(counts, max_line)
        self._waiting: deque[_Waiting] = deque()
        self._open: _Open | None = None
        self._note(paths, set(held))

    @property
    def done(self) -> bool:
        """Whether all has been read."""
        return self._open is None and not self._waiting

    @property
    def behind(self) -> int:
        """Bytes still to be read, as they lie on disk; at least one while it is not `done`."""
        here = max(1, self._open.size - self._open.raw.tell()) if self._open else 0
        return here + sum(max(1, file.size) for file in self._waiting)

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the next lines, about `budget` bytes of them; there may be none though `done` is still False."""
        if self._open is None and self._waiting:
            self._open_next()
        if self._open is None:
            return NOTHING
        mtime = self._open.mtime
        return Chunk(self._lines(self._open, budget), self._live, mtime)

    def close(self) -> None:
        """Leave the rest unread."""
        self._waiting.clear()
        self._leave()

    def _note(self, paths: Iterable[str], known: set[Identity]) -> None:
        for path in paths:
            try:
                status = self._disk.stat(path)
            except OSError as error:
                self.error = trouble(path, error)
                continue
            if identity_of(status) not in known:
                known.add(identity_of(status))
                self._waiting.append(_Waiting(path, identity_of(status), status.st_size))

    def _open_next(self) -> None:
        waiting = self._waiting.popleft()
        try:
            path = self._path_now(waiting)
            fd, status = open_regular(self._disk, path)
        except OSError as error:
            self.error = trouble(waiting.path, error)
            return
        raw = io.FileIO(fd, closefd=False)
        content = gzip.GzipFile(fileobj=raw) if path.endswith(COMPRESSED) else raw
        self._open = _Open(path, status.st_size, status.st_mtime, raw, content)

    def _path_now(self, file: _Waiting) -> str:
        for path in (file.path, *map(str, Path(file.path).parent.iterdir())):
            with suppress(OSError):
                if identity_of(self._disk.stat(path)) == file.identity:
                    return path
        raise OSError(errno.ENOENT, "Gone before it was read")

    def _lines(self, file: _Open, budget: int) -> list[bytes]:
        try:
            block = file.content.read(budget)
        except (OSError, EOFError, zlib.error) as error:
            self.error = trouble(file.path, error)
            self._leave()
            self._splitter.finish()  # what is left of a damaged file's last line is no line
            return []
        if block:
            return self._splitter.feed(block)
        self._leave()
        return self._splitter.finish()

    def _leave(self) -> None:
        if self._open is None:
            return
        fd = self._open.raw.fileno()
        self._open.content.close()
        self._open = None
        with suppress(OSError):
            self._disk.close(fd)
