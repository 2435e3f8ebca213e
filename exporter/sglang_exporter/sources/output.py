"""One followed output file: its records are read, and folded into the state of its data set."""

import logging
from collections.abc import Callable, Iterator

from msgspec.structs import replace

from sglang_exporter.clock import Clock
from sglang_exporter.follow.chunk import BUDGET, Chunk, Counts
from sglang_exporter.follow.disk import SYSTEM_DISK
from sglang_exporter.follow.memory import Remembered
from sglang_exporter.follow.rotated import COMPRESSED
from sglang_exporter.follow.siblings import Sibling, seen
from sglang_exporter.follow.stream import Stream
from sglang_exporter.logs import fields
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.sources.records import read_lines
from sglang_exporter.state.job import JobState
from sglang_exporter.state.slot import Slot
from sglang_exporter.state.source import SourceState

_LOG = logging.getLogger(__name__)
_PERIOD = 60.0
_IDLE = 10.0
"""Seconds after which a last line without a line feed is taken, if it is a whole record."""


class OutputSource:
    """One output file of a data set, known in its state as `slot`.

    Ids are never saved: after a restart the lines `before` the saved position are read again for them, and for the
    format that they were read by. With `replaces`, the file takes the place of another one of that slot.
    """

    budget = 8 * BUDGET
    """Its lines are long and few: a round costs more than they do."""
    newest: float | None = None

    def __init__(  # noqa: PLR0913 -- what is read, by what, and into what
        self,
        stream: Stream,
        before: Iterator[Remembered],
        new_reader: Callable[[], OutputReader],
        state: JobState,
        counts: SourceState,
        clock: Clock,
        *,
        slot: str,
        replaces: bool = False,
    ) -> None:
        self.stream = stream
        self.slot = slot
        self.told = Counts()
        self.rotated = 0
        self.recalled = False
        self._before = before
        self.new_reader = new_reader
        self._reader = new_reader()
        self._state = state
        self._counts = counts
        self._clock = clock
        self._replaces = replaces
        self._first = True
        self._mtime = 0.0
        self._changed = clock.now()
        self._rewritten = 0.0
        self._unfinished = 0
        self._tried = 0
        self._packed = stream.path.endswith(COMPRESSED)
        self._file = self._look()
        self._looked = clock.now()

    @property
    def open(self) -> bool:
        """Whether it is not decided what the file is that was written anew."""
        return self._place.rewriting is not None

    @property
    def waits(self) -> bool:
        """Whether nothing is to be done for it before its file has changed."""
        return self._unfinished in (0, self._tried) and not self.open

    def is_out_of_date(self) -> bool:
        """Tell, once a minute, if a compressed file has changed since it was begun to be read."""
        now = self._clock.now()
        if not self._packed or 0 <= now - self._looked < _PERIOD or not self.stream.caught_up:
            return False
        self._looked = now
        file = self._look()
        return file is not None and file != self._file

    def close_deleted(self) -> None:
        """Hold a deleted file no longer than a minute; what comes to its path later is in its place."""
        quiet = self._clock.now() - self._changed
        if quiet >= _PERIOD and not (self.stream.up or self.stream.behind) and self.stream.close_deleted():
            self._first = self._replaces = True

    def recall(self) -> None:
        """Read a piece of what was folded before the restart."""
        piece = next(self._before, None)
        if piece is None:
            self.recalled = True
            self._place.recalled()
            return
        records = [record for line in piece.lines for record in self._reader.read(line)]
        self._state.recall(records, piece.mtime, file=self.slot, older=piece.older)

    def take(self, chunk: Chunk) -> Exception | None:
        """Fold records: history as of the file's last change, live ones as of now."""
        self._begin(chunk)
        self._mtime = chunk.mtime or self._mtime
        if chunk.lines or self.stream.unfinished_bytes != self._unfinished:
            self._unfinished = self.stream.unfinished_bytes
            self._changed = self._clock.now() if chunk.live else min(self._mtime, self._clock.now())
        fault = self._fold_lines(chunk)
        if not self.stream.behind:
            fault = self._take_unfinished() or fault
            now = self._clock.now()
            rewriting = self._place.rewriting
            if rewriting and rewriting.is_whole(now - self._changed, now - self._rewritten):
                self.decide()
        return fault

    def decide(self) -> None:
        """Count what was written anew by what has been read of it."""
        is_new_run = self._state.decide(self.slot, shared_ids=self._reader.shares_ids)
        if is_new_run is not None:
            what = "a new run" if is_new_run else "the same records and more"
            _LOG.info("an output file was written anew", extra=fields(file=self.stream.path, holds=what))

    def finish(self) -> None:
        """Take a last line without a line feed, and a document that ended with it."""
        tail = b"".join(self.stream.finish())
        self._fold(self._reader.finish(tail) or [], self._mtime, live=False)
        self.decide()

    @property
    def _place(self) -> Slot:
        return self._state.slots.at(self.slot)

    def _begin(self, chunk: Chunk) -> None:
        """Take note of where another content begins."""
        is_first = self._first and (self.stream.up or bool(chunk.lines))
        self._first = self._first and not is_first
        replaces = is_first and (self._replaces or self.stream.lost_position)
        if self.stream.begins == "anew" or replaces:
            self._reader = self.new_reader()
            self._rewritten, self._tried = self._clock.now(), 0
            self._place.rewrite()
        elif self.stream.begins == "next":
            self.decide()
            self._place.rotate()

    def _fold_lines(self, chunk: Chunk) -> Exception | None:
        apart = self.open  # what was written anew is compared record by record
        records, fault = read_lines(self._reader, chunk.lines, apart=apart, count_fault=self._counts.count_fault)
        self._fold(records, self._clock.now() if chunk.live else chunk.mtime, live=chunk.live)
        self._counts.kinds["record"] = self._counts.kinds.get("record", 0) + len(chunk.lines)
        return fault

    def _look(self) -> Sibling | None:
        return seen(SYSTEM_DISK, self.stream.path) if self._packed else None

    def _fold(self, records: list[Record], at: float, *, live: bool) -> None:
        if self._packed:
            records = [replace(record, live=False) for record in records]
        self._state.fold(records, at, live=live, file=self.slot, shared_ids=self._reader.shares_ids)

    def _take_unfinished(self) -> Exception | None:
        """Take a last line without a line feed, if it is a whole record and nobody has written for a while."""
        if self._unfinished in (0, self._tried) or self._clock.now() - self._changed < _IDLE:
            return None
        self._tried = self._unfinished
        lines, live, mtime = self.stream.unfinished()
        try:
            records = self._reader.finish(b"".join(lines)) if lines else None
        except Exception as error:  # noqa: BLE001 -- it is tried once, and the files beside it are good
            self._counts.count_fault()
            return error
        if records:
            self.stream.finish()
            self._unfinished = self._tried = 0
            self._fold(records, self._clock.now() if live else mtime, live=live)
        return None
