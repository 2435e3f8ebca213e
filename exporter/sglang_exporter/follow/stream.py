"""One followed stream: the rotated files first, then the file that is written now."""

import os

from msgspec.structs import replace

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import BUDGET, MAX_LINE, NOTHING, Beginning, Chunk, Counts
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.disk import SYSTEM_DISK, Disk, Identity, trouble
from sglang_exporter.follow.position import Mark, Position
from sglang_exporter.follow.resume import resume
from sglang_exporter.follow.rotated import COMPRESSED
from sglang_exporter.follow.seek import place_in
from sglang_exporter.follow.siblings import opened_at, seen
from sglang_exporter.follow.tail import Tail


class Stream:
    """All lines of a stream, each once: those of the rotated files, oldest first, then those of the file written now.

    The file that is written now is opened first, so that what is rotated while the older ones are read stays in order.
    One whose name ends in `.gz` is finished: it is read once, after the older ones. With `resume`, only what follows
    that position is read, wherever rotation has moved it; what was written meanwhile is history. `counts` are those to
    go on from. With `rereads`, a file in the place of one that is gone is read whole, even if it was read before. The
    other parameters are those of `Tail`.
    """

    def __init__(  # noqa: PLR0913 -- each has its default, but what is followed
        self,
        found: Found,
        clock: Clock,
        *,
        from_start_is_history: bool,
        max_line: int = MAX_LINE,
        rotate_wait: float = 2.0,
        disk: Disk = SYSTEM_DISK,
        resume: Position | None = None,
        counts: Counts | None = None,
        rereads: bool = False,
    ) -> None:
        self.lost_position = False
        self._finished = found.path.endswith(COMPRESSED)
        self._history = from_start_is_history or resume is not None
        self._tail = Tail(
            found.path,
            clock,
            from_start_is_history=self._history,
            max_line=max_line,
            rotate_wait=rotate_wait,
            disk=disk,
            counts=counts,
        )
        self.counts = self._tail.counts
        self._files = self._tail.files
        self._files.rereads = rereads
        self._files.glimpsed.kept = resume.glimpsed if resume else ()
        self._older = [*found.older, found.path] if self._finished else found.older
        self._disk = disk
        self._begun = False
        self._resume = resume
        self._error: str | None = None

    @property
    def path(self) -> str:
        """Where the file that is written now lies."""
        return self._tail.path

    @property
    def folders(self) -> set[str]:
        """The folders in which changes of the file are seen."""
        held = self._files.held
        real = held[-1].path if held and not self._tail.error else os.path.realpath(self.path)
        paths = {self.path, real}  # as nearly always, one
        return {os.path.dirname(path) or "." for path in paths}  # noqa: PTH120 -- of each file, each few seconds

    @property
    def up(self) -> bool:
        """Whether the file is there and can be read."""
        return self._begun and self.error is None if self._finished else self._tail.up

    @property
    def error(self) -> str | None:
        """What keeps the file, or kept an older one, from being read, as one phrase."""
        return self._error or self._tail.error or self._tail.older_error

    @property
    def still(self) -> bool:
        """Whether the last read found everything as it was, and nothing left to be read."""
        return self._tail.still

    @property
    def at_end(self) -> bool:
        """Whether it is `up`, `caught_up` and not `behind`, which takes a third of the time to tell in one word."""
        return self._tail.at_end and self._error is None

    @property
    def behind(self) -> int:
        """Bytes that the next reads can get at; of compressed files their bytes on disk."""
        return self._tail.behind

    @property
    def caught_up(self) -> bool:
        """Whether all history has been read; where no file can be opened, there is none."""
        return self._tail.caught_up if self._begun else self._error is not None

    @property
    def begins(self) -> Beginning | None:
        """What begins with the lines of the last read; None where they go on with those before."""
        return self._tail.begins

    @property
    def position(self) -> Position | None:
        """What has been read so far, exactly by the lines that were returned; None while no file was seen."""
        if self._resume:
            return replace(self._resume, glimpsed=self._files.glimpsed.kept)
        read = tuple(self._files.finished)
        places = self._files.marks or read[-1:]
        return Position(places, read, self._files.glimpsed.kept) if places else None

    @property
    def identities(self) -> set[Identity]:
        """The files that are held, were read last, or are sought."""
        return self._files.identities | {mark.identity for mark in self._marks()}

    def has_read(self, path: str) -> bool:
        """Tell whether the file at a path is one of those; an inode may have been used again, so its bytes tell."""
        file = seen(self._disk, path)
        if file is None or file.identity in self._files.identities:
            return file is not None
        marks = [mark for mark in self._marks() if mark.is_in(file)]
        return any(self._resume or not mark.is_blank for mark in marks if place_in(self._disk, file, mark))

    def move(self, path: str) -> None:
        """Go on at another path: the file at the old one is read to its end first, as after a rotation."""
        self._tail.path = path

    def read(self, budget: int = BUDGET) -> Chunk:
        """Return the next lines, about `budget` bytes of them; none with `behind` above 0 means: read again."""
        if not self._begun:
            self._begin()
        if not self._begun:
            return NOTHING
        return self._tail.read_on(budget) if self._finished else self._tail.read(budget)

    def unfinished(self) -> Chunk:
        """Return the last line if it has no line feed and all before it has been read; it stays unread."""
        return self._tail.unfinished() if self._begun else NOTHING

    @property
    def unfinished_bytes(self) -> int:
        """The length of such a line."""
        return sum(held.scanned - held.offset for held in self._files.held)

    def finish(self) -> list[bytes]:
        """Return the last line if it has no line feed; it counts as read."""
        return self._tail.finish()

    def close_deleted(self) -> bool:
        """Close what is held if it has no name any more, so that the disk has its space back; tell if that was so."""
        held = self._files.held
        try:
            deleted = bool(held) and all(file.is_deleted() for file in held)
        except OSError:
            return False
        if deleted:
            self.close()
        return deleted

    def close(self) -> None:
        """Close all files."""
        self._tail.close()

    def _marks(self) -> tuple[Mark, ...]:
        return (*self._resume.open, *self._resume.read) if self._resume else tuple(self._files.finished)

    def _begin(self) -> None:
        try:
            if self._resume:
                self._begin_behind(self._resume)
            else:
                self._begin_afresh()
            self._error = None
        except OSError as error:
            self._error = trouble(self.path, error)

    def _begin_afresh(self) -> None:
        if not self._finished:
            self._tail.look()
        older = self._files.older(live=not self._history)
        older.add_paths(self._older, self._files.identities)
        self._tail.begin([older])
        self._begun = True

    def _begin_behind(self, position: Position) -> None:
        glimpsed = self._files.glimpsed
        with glimpsed.noting(position) as disk:
            opened_at(disk, self.path)
            starts, lost = resume(disk, self.path, position)
            lost_bytes = glimpsed.lost(self.path, disk.files.values(), lost)
            self._tail.begin(self._files.opened(starts, self.path, history=True))
        glimpsed.kept = ()
        self._files.finished.extend(position.read)
        self.lost_position = bool(lost)
        self.counts.lost_bytes += lost_bytes
        self._resume = None
        self._begun = True
