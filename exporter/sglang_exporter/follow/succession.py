"""The files of a stream in the order in which they are read: those that are open, and those that wait between them."""

from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from sglang_exporter.follow.chunk import Counts
from sglang_exporter.follow.disk import Disk, Identity
from sglang_exporter.follow.held import HeldFile
from sglang_exporter.follow.history import History
from sglang_exporter.follow.position import Mark
from sglang_exporter.follow.seek import Start, after, find, go_on_in, unread
from sglang_exporter.follow.siblings import Sibling, siblings

_REMEMBERED = 8


class Succession:
    """What is read now, what comes after it, and where the files end that were read before.

    What opens files, or looks for them, may raise OSError, and has changed nothing then.
    """

    def __init__(self, disk: Disk, counts: Counts, max_line: int) -> None:
        self.parts: deque[HeldFile | History] = deque()
        self.finished: deque[Mark] = deque(maxlen=_REMEMBERED)
        self.rereads = False
        """Whether a file in the place of one that is gone is read whole, even if it was read before."""
        self._disk = disk
        self._counts = counts
        self._max_line = max_line

    @property
    def held(self) -> list[HeldFile]:
        """The files that are held open, oldest first."""
        return [part for part in self.parts if isinstance(part, HeldFile)]

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The places in the files that are not finished."""
        return tuple(mark for part in self.parts if (mark := part.mark))

    @property
    def identities(self) -> set[Identity]:
        """The files that are not finished."""
        return set[Identity]().union(*(part.identities for part in self.parts))

    @property
    def behind(self) -> int:
        """Bytes that can be read before a writer must have gone on to the next file."""
        behind = 0
        for part in self.parts:
            if isinstance(part, HeldFile):
                return behind + part.unread
            behind += part.behind
        return behind

    def older(self, starts: Sequence[Start] = (), *, live: bool) -> History:
        """Return a history of files, to be put among the parts."""
        history = History(self._counts, self.finished, max_line=self._max_line, live=live, disk=self._disk)
        history.add(starts)
        return history

    def open_last(self, starts: Sequence[Start], most: int, *, history: bool) -> tuple[list[Start], list[HeldFile]]:
        """Open the last ones of some files, to which somebody may still write; return those before them as well.

        Nobody writes to a compressed file, nor to what comes before it.
        """
        waiting, held = list(starts), deque[HeldFile]()
        try:
            while waiting and not waiting[-1].file.compressed and len(held) < most:
                held.appendleft(self._open_start(waiting[-1], history=history))
                waiting.pop()
        except OSError:
            _close(held)
            raise
        return waiting, list(held)

    def take_up(self, path: str, *, history: bool) -> None:
        """Read the file at a path after all others, but before it those that have come and gone unseen."""
        new = HeldFile(self._disk, path, self._counts, self._max_line, history=history)
        try:
            between = self._between(path, new)
            new.restart(go_on_in(self._disk, new.file, self.finished))
            waiting, held = self.open_last(between, 1, history=False)
        except OSError:
            new.close()
            raise
        self._counts.rotations += len(waiting)
        self.parts.extend([self.older(waiting, live=True)] if waiting else [])
        self.parts.extend([*held, new])

    def refresh_first(self, path: str) -> bool:
        """Take note of what has become of the oldest file, which is or was at the path; tell if its size has changed.

        If it was written anew in place, it is read again from its start, but first what a copy still has of it.
        """
        held = self.held[0]
        held.refresh()
        rewritten, torn = held.is_rewritten(), held.has_other_unfinished()
        copy = self._copy(path, held) if rewritten or (torn and not held.offset) else None
        if rewritten or copy:
            self._start_anew(held, copy)
        else:
            self._counts.lost_bytes += max(0, held.seen - max(held.size, held.scanned))
            if torn:
                held.forget_unfinished()
        has_changed = held.size != held.seen
        held.seen = held.size
        return has_changed

    def drop_first(self, path: str) -> None:
        """Let go of the oldest file, which is or was at the path."""
        part = self.parts[0]
        gone = isinstance(part, HeldFile) and self._is_gone(path, part)
        self.parts.popleft()
        was_read = isinstance(part, HeldFile) or part.begun
        if was_read and self.parts and isinstance(following := self.parts[0], HeldFile):
            following.begins = "anew" if gone else "next"
            if gone and self.rereads:
                following.restart()
        if isinstance(part, HeldFile):
            self.finished.append(part.mark)
            part.close()

    def close(self) -> None:
        """Close all files."""
        _close(self.parts)

    def _open_start(self, start: Start, *, history: bool) -> HeldFile:
        return HeldFile(
            self._disk,
            start.file.path,
            self._counts,
            self._max_line,
            history=history,
            start=start.place,
            expected=start.file.identity,
        )

    def _copy(self, path: str, held: HeldFile) -> Start | None:
        """Return the rotated sibling that has the bytes which were looked at in a file, and where to go on in it."""
        others = [file for file in siblings(self._disk, path) if not self._holds(file)]
        copy = find(self._disk, held.scanned_mark, reversed(others))
        return Start(copy.file, held.place) if copy else None

    def _start_anew(self, held: HeldFile, copy: Start | None) -> None:
        there = held.offset
        if copy:
            there = held.seen if copy.file.compressed else copy.file.size
            self.parts.appendleft(self.older([copy], live=held.caught_up))
        self._counts.truncations += 1
        self._counts.lost_bytes += max(0, held.seen - there)
        held.history = 0
        held.begins = "next" if copy else "anew"
        held.restart()

    def _is_gone(self, path: str, held: HeldFile) -> bool:
        """Tell whether a file was deleted or replaced, and not rotated away."""
        with suppress(OSError):
            return held.is_deleted() or all(not held.holds(file) for file in siblings(self._disk, path))
        return False

    def _between(self, path: str, new: HeldFile) -> list[Start]:
        if not self.held:
            return []
        ends = [_end(held) for held in self.held]
        files = [file for file in siblings(self._disk, path) if file.identity != new.identity]
        found = find(self._disk, ends[-1], reversed(files))
        between = after(files, ends[-1], found.file if found else None)
        return unread(self._disk, [file for file in between if not self._holds(file)], [*self.finished, *ends])

    def _holds(self, file: Sibling) -> bool:
        return any(part.holds(file) for part in self.parts)


def _close(parts: deque[HeldFile | History] | deque[HeldFile]) -> None:
    while parts:
        parts.popleft().close()


def _end(held: HeldFile) -> Mark:
    with suppress(OSError):  # a stale file is known by what was read of it
        return held.end_mark()
    return held.mark
