"""A data set and its output files, each in its place, by whatever name."""

import os.path
from collections.abc import Sequence
from dataclasses import dataclass, field

from sglang_exporter.clock import Clock
from sglang_exporter.config import Config, JobConfig
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.disk import SYSTEM_DISK, Identity
from sglang_exporter.follow.memory import lines_before
from sglang_exporter.follow.position import Position
from sglang_exporter.follow.siblings import seen
from sglang_exporter.follow.stream import Stream
from sglang_exporter.outputs.given import compile_format
from sglang_exporter.outputs.measure import measure_of
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.sources.output import OutputSource
from sglang_exporter.sources.saved import SavedJob
from sglang_exporter.sources.total import Total
from sglang_exporter.sources.working import final_path
from sglang_exporter.state.job import JobState
from sglang_exporter.state.source import SourceState


@dataclass
class Dataset:
    """A data set and its files by path. Entries of the configuration that call theirs the same share it.

    A file, its working name (`answers.jsonl.tmp`) and its compressed one are one slot; the final one counts where it is
    there. A compressed one is read anew when it has changed.
    """

    state: JobState
    counts: SourceState
    clock: Clock
    positions: dict[str, Position | None] = field(default_factory=dict)
    """How far the files were read before the last restart."""
    streams: dict[str, OutputSource] = field(default_factory=dict)
    total: Total = field(default_factory=lambda: Total(None, ""))
    _by_slot: dict[str, OutputSource] = field(default_factory=dict)

    def saved(self, now: float) -> SavedJob:
        """Return what is to be kept of it; what is open is decided, for it is in no state that is stored."""
        for source in self.streams.values():
            source.decide()
        positions = {path: source.stream.position for path, source in self.streams.items()}
        return SavedJob({**self.positions, **positions}, self.state.stored(), self.counts, now)

    def let_go(self, path: str) -> None:
        """Follow a file no more, but know how far it was read; what it proved stays."""
        source = self.streams.pop(path)
        source.decide()
        self.positions[path] = source.stream.position
        source.stream.close()
        self._by_slot.pop(source.slot, None)

    def discover(self, files: Sequence[Found], job: JobConfig, config: Config, *, at_start: bool) -> None:
        """Follow what is new of the files that there are now; one that has another name by now goes on."""
        there = {found.path for found in files}
        for known in self.streams.values():
            known.close_deleted()
        for found in files:
            if source := self.streams.get(found.path):
                source.rotated = len(found.older)
                if source.is_out_of_date():
                    self._follow(found, job, config, at_start=at_start)
        new = [found for found in files if found.path not in self.streams and not self._is_superseded(found, there)]
        if not new:
            return
        readers = {identity: source for source in self.streams.values() for identity in source.stream.identities}
        for found in new:
            file = seen(SYSTEM_DISK, found.path)
            source = readers.get(file.identity) if file else None
            if source is None or not source.stream.has_read(found.path):
                self._follow(found, job, config, at_start=at_start)
            elif not os.path.lexists(source.stream.path):
                self._move(source, found.path)

    def look_for_total(self, now: float) -> None:
        """Bring what is expected up to date."""
        if self.total.advance(now):
            self.state.expected = self.total.value

    def _is_superseded(self, found: Found, there: set[str]) -> bool:
        final = final_path(found.path)
        return final != found.path and final in there

    def _move(self, source: OutputSource, path: str) -> None:
        slot = final_path(path)
        if slot != source.slot:
            self.state.slots.rename(source.slot, slot)
            self._by_slot[slot] = self._by_slot.pop(source.slot)
            source.slot = slot
        self.streams[path] = self.streams.pop(source.stream.path)
        source.stream.move(path)

    def _follow(self, found: Found, job: JobConfig, config: Config, *, at_start: bool) -> None:
        slot, mapping, measure = final_path(found.path), compile_format(job.format), measure_of(job.tokens)
        position, replaces = self._position_of(found.path, slot)
        if before := self._by_slot.get(slot):
            self.streams.pop(before.stream.path).stream.close()
            replaces = True
        stream = Stream(
            found,
            self.clock,
            from_start_is_history=at_start or replaces,
            max_line=config.max_line_bytes,
            resume=position,
            rereads=True,
        )
        self._by_slot[slot] = self.streams[found.path] = OutputSource(
            stream,
            lines_before(found.path, found.older, position),
            lambda: OutputReader(mapping, scope=slot, measure=measure),
            self.state,
            self.counts,
            self.clock,
            slot=slot,
            replaces=replaces,
        )
        self.streams[found.path].rotated = len(found.older)

    def _position_of(self, path: str, slot: str) -> tuple[Position | None, bool]:
        """Return how far a file was read before the restart, and whether it replaces one that was read by then.

        It may have had another name: its working name, or one that is gone.
        """
        if path in self.positions:
            return self.positions.pop(path), False
        file = seen(SYSTEM_DISK, path)
        for known, position in self.positions.items():
            if file and position and _last(position) == file.identity and not os.path.lexists(known):
                if final_path(known) != slot:
                    self.state.slots.rename(final_path(known), slot)
                return self.positions.pop(known), False
        worked = next((known for known in self.positions if final_path(known) == slot), None)
        if worked is not None:
            del self.positions[worked]
        return None, worked is not None or bool(self.state.slots.at(slot).current.counts)


def _last(position: Position) -> Identity | None:
    return position.open[-1].identity if position.open else None
