"""The files of a stream in the order in which they are read: those that are open, and those that wait between them."""

import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from sglang_exporter.follow.chunk import Counts
from sglang_exporter.follow.disk import Disk, Identity
from sglang_exporter.follow.glimpsed import Glimpsed, NotingDisk
from sglang_exporter.follow.held import HeldFile
from sglang_exporter.follow.history import History
from sglang_exporter.follow.position import Mark, Position
from sglang_exporter.follow.seek import Start, go_on_in
from sglang_exporter.follow.siblings import siblings
from sglang_exporter.follow.unseen import Taken, between, copies

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
        self.glimpsed = Glimpsed(disk)
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
        return tuple(mark for part in self.parts for mark in part.marks)

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

    def opened(self, starts: Sequence[Start], path: str, *, history: bool) -> list[HeldFile | History]:
        """Return files as parts: open are the one at the path and the one before it, to which somebody may still write.

        Nobody writes to a compressed file, nor to what comes before it. One that we may not read is left to be told of.
        """
        waiting, held = list(starts), deque[HeldFile]()
        most = 2 if waiting and waiting[-1].file.path == path else 1
        try:
            while waiting and not waiting[-1].file.compressed and len(held) < most:
                file = self._opened(waiting[-1], history=history, is_needed=waiting[-1].file.path == path)
                if file is None:
                    break
                held.appendleft(file)
                waiting.pop()
            return [self.older(waiting, live=not history), *held]
        except OSError:
            for file in held:
                file.close()
            raise

    def take_up(self, path: str, seen: Identity, *, history: bool) -> None:
        """Read the file seen at a path after all others, but before it those that have come and gone unseen."""
        if self.held and not self.held[-1].broken:
            self.refresh(self.held[-1], path)
        with self._noting(path) as disk:
            new = HeldFile(self._disk, path, self._counts, self._max_line, history=history, expected=seen)
            disk.files[seen] = new.file
            try:
                unseen = between(disk, path, new, self._taken)
                if (place := go_on_in(disk, new.file, self.finished)).offset:
                    new.restart(place)
                parts = self.opened(unseen, path, history=False) if unseen else []
            except OSError:
                new.close()
                raise
        self._counts.rotations += len(unseen) - sum(isinstance(part, HeldFile) for part in parts)
        self.parts.extend([*parts, new])

    def refresh(self, held: HeldFile, path: str, told: os.stat_result | None = None) -> bool:
        """Take note of what has become of a file, which is or was at the path; tell if its size has changed.

        If it was written anew in place, it is read again from its start, but first what a copy still has of it.
        `told` is its status, if that was just told of, and if it is read next.
        """
        held.refresh(told)
        rewritten, torn = held.is_rewritten(), held.has_other_unfinished()
        is_other = rewritten or held.begun or (torn and held.place.is_start)
        if not (is_other and self._starts_anew(path, held, rewritten=rewritten)):
            self._counts.lost_bytes += max(0, held.seen.size - max(held.size, held.scanned))
            if torn:
                held.forget_unfinished()
        has_changed = held.size != held.seen.size
        held.settle()
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
        while self.parts:
            self.parts.popleft().close()

    def _opened(self, start: Start, *, history: bool, is_needed: bool) -> HeldFile | None:
        file, place = start
        try:
            return HeldFile(
                self._disk,
                file.path,
                self._counts,
                self._max_line,
                history=history,
                start=place,
                expected=file.identity,
            )
        except PermissionError:
            if is_needed:
                raise
            return None

    @contextmanager
    def _noting(self, path: str) -> Iterator[NotingDisk]:
        """Yield a disk to look for files with; tell, once that succeeds, what vain looks saw and is gone."""
        read = tuple(self.finished)
        with self.glimpsed.noting(Position(self.marks or read[-1:], read), self.identities) as disk:
            yield disk
        with suppress(OSError):
            self._counts.lost_bytes += self.glimpsed.lost(path, disk.files.values())
            self.glimpsed.kept = ()

    def _starts_anew(self, path: str, held: HeldFile, *, rewritten: bool) -> bool:
        """Read a file that looks like another one again from its start, if it is one, and before it what was copied."""
        held.forget_glance()
        with self._noting(path) as disk:
            copy, later = copies(disk, path, held, self._taken)
            rotated = self.older([*filter(None, [copy]), *later], live=held.caught_up)
            if not rewritten and rotated.done:
                return False
            self._start_anew(held, copy, rotated)
        return True

    def _start_anew(self, held: HeldFile, copy: Start | None, rotated: History) -> None:
        there = held.offset
        if copy:
            there = held.seen.size if copy.file.compressed else copy.file.size
        self._counts.truncations += 1
        self._counts.lost_bytes += max(0, held.seen.size - there)
        held.begin_anew()
        held.begins = "anew" if rotated.done else "next"
        if not rotated.done:
            self.parts.insert(self.parts.index(held), rotated)

    def _is_gone(self, path: str, held: HeldFile) -> bool:
        """Tell whether a file was deleted or replaced, and not rotated away."""
        with suppress(OSError):
            return held.is_deleted() or all(not held.holds(file) for file in siblings(self._disk, path))
        return False

    @property
    def _taken(self) -> Taken:
        return Taken(self.held, lambda file: any(part.holds(file) for part in self.parts), self.finished)
