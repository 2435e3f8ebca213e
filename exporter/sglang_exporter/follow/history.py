"""Files that nobody writes to any more: each read once, to its end, before what comes after them."""

import errno
import zlib
from collections import deque
from collections.abc import Collection, Iterable
from typing import NamedTuple

from sglang_exporter.follow.chunk import BUDGET, NOTHING, Chunk, Counts
from sglang_exporter.follow.disk import GONE, SYSTEM_DISK, Disk, Identity, is_passing, trouble
from sglang_exporter.follow.held import HeldFile
from sglang_exporter.follow.packed import PackedFile
from sglang_exporter.follow.position import START, Mark, Place
from sglang_exporter.follow.seek import Start, first_place, is_copy, place_in
from sglang_exporter.follow.siblings import Sibling, neighbours, opened, sibling_at

_DAMAGED = (OSError, EOFError, zlib.error)


class _Waiting(NamedTuple):
    """A file still to be read to its end, where to begin, and what it is known by if it is compressed meanwhile."""

    file: Sibling
    place: Place
    known: Mark


class History:
    """Lines of rotated files, oldest first; of `.gz` files the lines packed in them.

    Which files they are is noted at once, so that a rotation meanwhile changes nothing: one that has moved on is sought
    among its neighbours, by its inode, or by its content if it was compressed. The ends of those that have been read
    are added to `finished`. A file that cannot be read, or is damaged, is left where that shows, and `error` says so.
    """

    def __init__(
        self, counts: Counts, finished: deque[Mark], *, max_line: int, live: bool = False, disk: Disk = SYSTEM_DISK
    ) -> None:
        self.error: str | None = None
        self.begun = False
        """Whether anything of it has been read."""
        self._counts = counts
        self._finished = finished
        self._max_line = max_line
        self._live = live
        self._disk = disk
        self._waiting: deque[_Waiting] = deque()
        self._open: HeldFile | PackedFile | None = None

    def add(self, starts: Iterable[Start]) -> None:
        """Read these files after the others; nothing would tell a file without content from any other one."""
        self._waiting += [noted for start in starts if (noted := self._noted(start))]

    def add_paths(self, paths: Iterable[str], held: Collection[Identity] = ()) -> None:
        """Read what is at these paths after the others, but each file once, and none of those that are held.

        Raises OSError where it is not the files that are in trouble.
        """
        known = set(held)
        for path in paths:
            try:
                file = sibling_at(self._disk, path)
            except OSError as error:
                if is_passing(error):
                    raise
                self.error = trouble(path, error)
                continue
            if file is None:
                self.error = trouble(path, FileNotFoundError(errno.ENOENT, "No such file or directory"))
            elif file.identity not in known:
                known.add(file.identity)
                self.add([Start(file, START)])

    @property
    def done(self) -> bool:
        """Whether all has been read."""
        return not self._waiting

    @property
    def caught_up(self) -> bool:
        """Whether nothing is left of what was there at start."""
        return self._live or self.done

    @property
    def identities(self) -> set[Identity]:
        """The files that are not finished."""
        return {waiting.file.identity for waiting in self._waiting}

    def holds(self, file: Sibling) -> bool:
        """Tell whether a file is one of those that are not finished, or a copy of it."""
        return any(self._is(file, waiting) or is_copy(self._disk, file, waiting.known) for waiting in self._waiting)

    @property
    def behind(self) -> int:
        """Bytes still to be read, as they lie on disk; at least one while it is not `done`."""
        sizes = [max(1, waiting.file.size - waiting.place.offset) for waiting in self._waiting]
        if self._open:
            sizes[0] = max(1, self._open.unread)
        return sum(sizes)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The places in the files that are not finished."""
        marks = [Mark.of(waiting.file, waiting.place) for waiting in self._waiting]
        if self._open:
            marks[0] = self._open.mark
        return tuple(marks)

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the next lines, about `budget` bytes of them; there may be none though `done` is still False.

        Raises OSError where it is not the file that is in trouble: then the same is read the next time.
        """
        if self._open is None and self._waiting:
            self._open_next()
        if self._open is None:
            return NOTHING
        self.begun = True
        mtime = self._open.mtime
        return Chunk(self._lines(self._open, budget), self._live, mtime)

    def close(self) -> None:
        """Leave the rest unread."""
        self._leave()
        self._waiting.clear()

    def _noted(self, start: Start) -> _Waiting | None:
        file, place = start
        if place.is_start and (first := first_place(self._disk, file)):
            if first == START:
                return None
            place = first
        return _Waiting(file, place, Mark.of(file, place))

    def _open_next(self) -> None:
        waiting = self._waiting[0]
        try:
            self._open = self._opened(self._file_now(waiting), waiting.place)
        except OSError as error:
            if is_passing(error):
                raise
            self.error = trouble(waiting.file.path, error)
            self._counts.lost_bytes += waiting.file.size - (0 if waiting.file.compressed else waiting.place.offset)
            self._waiting.popleft()

    def _opened(self, file: Sibling, place: Place) -> HeldFile | PackedFile:
        disk, counts, max_line = self._disk, self._counts, self._max_line
        if file.compressed:
            return PackedFile(disk, file, counts, max_line, place)
        return HeldFile(disk, file.path, counts, max_line, history=False, start=place, expected=file.identity)

    def _file_now(self, waiting: _Waiting) -> Sibling:
        there = sibling_at(self._disk, waiting.file.path)
        if there and self._is(there, waiting):
            return opened(self._disk, there)
        others = neighbours(self._disk, waiting.file.path)
        moved = next((other for other in others if self._is(other, waiting)), None)
        moved = moved or next((o for o in others if o.compressed and is_copy(self._disk, o, waiting.known)), None)
        if moved is None:
            raise FileNotFoundError(errno.ENOENT, GONE)
        return moved

    def _is(self, file: Sibling, waiting: _Waiting) -> bool:
        """Tell whether it is the file that waits, and not another one that was given its inode."""
        if not waiting.known.is_in(file):
            return False
        is_as_long = not file.compressed or opened(self._disk, file).size == waiting.file.size
        return is_as_long and place_in(self._disk, file, waiting.known) is not None

    def _lines(self, file: HeldFile | PackedFile, budget: int) -> list[bytes]:
        try:
            if not file.unread and isinstance(file, HeldFile):
                file.refresh()  # its writer may have been late
                file.settle()
            if file.unread:
                return file.read(budget)
            lines = file.finish()
        except _DAMAGED as error:
            if is_passing(error):
                self._put_back(file)
                raise
            self.error = trouble(file.path, error)
            lines = []
        self._leave()
        return lines

    def _put_back(self, file: HeldFile | PackedFile) -> None:
        self._waiting[0] = self._waiting[0]._replace(place=file.place)
        file.close()
        self._open = None

    def _leave(self) -> None:
        if self._open is not None:
            self._finished.append(self._open.mark)
            self._open.close()
            self._open = None
            self._waiting.popleft()
