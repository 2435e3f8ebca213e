"""One open file: how far it has been read, and whether it still is what was read."""

import os

from sglang_exporter.follow.chunk import Beginning, Counts
from sglang_exporter.follow.disk import Disk, Identity
from sglang_exporter.follow.lines import Lines
from sglang_exporter.follow.opened import OpenFile
from sglang_exporter.follow.position import KEPT, START, Mark, Place
from sglang_exporter.follow.siblings import Sibling

_GLANCE = 64 << 10
"""Bytes, of what was read before and what is new, that are looked into by one read: where a line or two is new, system
calls cost the most."""


class HeldFile:
    """A file that is kept open, whatever becomes of its name; it is read from `start` on.

    `history` is where that ends which was there at start, `seen` the file as it was when it was looked into last;
    `begun` tells that there was nothing in it then, and something may have come and gone since.
    `quiet_since` is when it had a successor, or has grown after that, by the clock of the tail.
    Everything here may raise OSError.
    """

    def __init__(  # noqa: PLR0913 -- what a file is, and what is asked of it
        self,
        disk: Disk,
        path: str,
        counts: Counts,
        max_line: int,
        *,
        history: bool,
        start: Place = START,
        expected: Identity | None = None,
    ) -> None:
        self.path = os.path.realpath(path)
        self._counts = counts
        self._max_line = max_line
        self._file = OpenFile(disk, path, expected)
        self.identity = self._file.identity
        self.identities = {self.identity}
        self.size, self.mtime = self._file.status.st_size, self._file.status.st_mtime
        self.history = self.size if history else 0
        self.seen = self.file
        self.broken = False
        self.begins: Beginning | None = None
        self.quiet_since = 0.0
        self.restart(start)
        try:
            self.learn()
        except OSError:
            self.close()
            raise
        self.begun = False

    def restart(self, place: Place = START) -> None:
        """Go on at a place of the file."""
        self._lines = Lines(self._file, self._counts, self._max_line, place)

    def begin_anew(self) -> None:
        """Go on at the start, once it has been written anew."""
        self.restart()
        self.learn()
        self.begun = False
        self.size = self.history = 0
        self._note()

    def learn(self) -> None:
        """Look at the first bytes, by which it is known while it has not been read."""
        if self.is_blank:
            self._lines.learn()
            self.begun = not self.is_blank or self.mtime != self.seen.mtime

    def reopen(self, path: str) -> None:
        """Take a new descriptor of the same file, after the old one has failed; the place in it stays."""
        self._file.reopen(path)
        self.broken = False

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    @property
    def unread(self) -> int:
        """Bytes that were there at the last `refresh` and have not been looked at."""
        return max(0, self.size - self.scanned)

    @property
    def offset(self) -> int:
        """Where the last complete line ends."""
        return self._lines.trail.offset

    @property
    def scanned(self) -> int:
        """Where the search for the next line feed goes on."""
        return self._lines.trail.scanned

    @property
    def is_blank(self) -> bool:
        """Whether nothing is known of its content."""
        return self._lines.trail.is_blank

    @property
    def caught_up(self) -> bool:
        """Whether nothing is left of what was there at start."""
        return self._lines.trail.scanned >= self.history

    @property
    def is_at_end(self) -> bool:
        """Whether all that was there at the last `refresh` has been looked at."""
        return self._lines.trail.scanned >= max(self.size, self.history)

    @property
    def file(self) -> Sibling:
        """The file, as it was at the last `refresh`."""
        return Sibling(self.path, self.identity, self.size, self.mtime)

    @property
    def place(self) -> Place:
        """The place after the last complete line."""
        return self._lines.trail.place

    @property
    def mark(self) -> Mark:
        """The same place in the file as it was `seen`, to be found again."""
        return Mark.of(self.seen, self.place)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """That one, among those of a stream."""
        return (self.mark,)

    @property
    def scanned_mark(self) -> Mark:
        """The place that has been looked at, be it within a line, in the file as it was `seen`."""
        return Mark.of(self.seen, self._lines.trail.scanned_place)

    def holds(self, file: Sibling) -> bool:
        """Tell whether a file is this one."""
        return file.identity == self.identity

    def end_mark(self) -> Mark:
        """Return the place at the end of the file, as it is now; of a broken one, what is known of it."""
        try:
            self.refresh()
            length = min(KEPT, self.size)
            head, before = (self._file.read(length, position) for position in (0, self.size - length))
        except OSError:
            if self.broken:
                return self.scanned_mark
            raise
        place = Place(self.size, head, before)
        if place.is_start:  # or so it is told: the network may be late
            place = self.place if self._lines.trail.first else place._replace(head=b"")
        return Mark.of(self.file, place)

    def begins_as(self, other: Place) -> bool:
        """Tell whether the bytes at either end of another content, as far as that goes, are in this file as well."""
        return self._file.has(other.head, 0) and self._file.has(other.before, other.offset - len(other.before))

    def refresh(self, told: os.stat_result | None = None) -> None:
        """Take note of the file's present size and time of change.

        `told` is its status, if that was just told of, and if the file is read next. Of it, only growth is believed: on
        some disks a path is told of later than what is open.
        """
        trail = self._lines.trail
        if told and (told.st_size < self.size or told.st_mtime < self.mtime):
            told = None
        self._file.refresh(told)
        start = trail.offset - len(trail.before)
        if told and 0 < told.st_size - start <= _GLANCE:
            self._file.look_ahead(told.st_size - start, start)
        else:
            self._file.forget()
        self._note()
        if not trail.first and trail.is_at_start:
            self.learn()
        self.history = min(self.history, self.size)

    def forget_glance(self) -> None:
        """Look into the file again, where what was seen at once may be gone."""
        self._file.forget()

    def settle(self) -> None:
        """Note that what it is now has been looked into."""
        self.seen, self.begun = self.file, False

    def is_rewritten(self) -> bool:
        """Tell whether the bytes that were read are gone: the file is shorter, or others are at either end of them."""
        trail, has = self._lines.trail, self._file.has
        if not has(trail.before, trail.offset - len(trail.before)):
            return True
        if trail.is_at_start:
            return not has(trail.first, trail.offset)
        return trail.offset > KEPT and not has(trail.head, 0)

    def has_other_unfinished(self) -> bool:
        """Tell whether the writer has cut or changed the unfinished line."""
        trail = self._lines.trail
        if trail.scanned == trail.offset:
            return False
        return self.size < trail.scanned or not self._file.has(trail.torn, trail.scanned - len(trail.torn))

    def forget_unfinished(self) -> None:
        """Search the unfinished line from its start again."""
        self._lines.forget_unfinished()

    def read(self, budget: int) -> list[bytes]:
        """Return the lines that are completed by the next `budget` bytes; never any beyond the end of history."""
        lines = self._lines.read(budget, self.size if self.caught_up else self.history)
        self._file.forget()
        return lines

    def take_beginning(self) -> Beginning | None:
        """Return what begins with the next lines, once."""
        begins, self.begins = self.begins, None
        return begins

    def is_deleted(self) -> bool:
        """Tell whether the file has no name any more."""
        return self._file.links == 0

    def unfinished_line(self) -> bytes:
        """Return the unfinished line, which stays unread."""
        return self._lines.unfinished()

    def finish(self) -> list[bytes]:
        """Return the unfinished line, if there is one, as if it were complete."""
        return self._lines.finish()

    def _note(self) -> None:
        """Take the size that is told, unless the end is not there: NFS may tell that before the file was cut."""
        size, self.mtime = self._file.status.st_size, self._file.status.st_mtime
        if size > self.size and not self._file.read(1, size - 1):
            size = min(size, self.scanned)
        self.size = size
