"""A stream that is stopped, and started again from what was saved of it."""

import gzip
import shutil
from dataclasses import replace
from pathlib import Path

import msgspec

from follow.written import FaultyDisk, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.chunk import Counts
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.position import Position
from sglang_exporter.follow.stream import Stream

WAIT = 2.0


class Restarted:
    """The stream of a log, over several runs of the exporter."""

    def __init__(self, path: Path, clock: FixedClock, disk: FaultyDisk) -> None:
        self.path = path
        self._clock = clock
        self._disk = disk
        self._saved: bytes | None = None
        self._counts = Counts()
        self.start()

    def start(self, *older: str) -> Stream:
        """Begin where the last run was saved; the rotated files that the glob covers are told as well."""
        resume = msgspec.msgpack.decode(self._saved, type=Position) if self._saved else None
        self.stream = Stream(
            Found(str(self.path), {}, [f"{self.path}{ending}" for ending in older]),
            self._clock,
            from_start_is_history=True,
            rotate_wait=WAIT,
            disk=self._disk,
            resume=resume,
            counts=replace(self._counts),
        )
        return self.stream

    def save(self) -> None:
        """Write down how far the stream is."""
        self._saved = msgspec.msgpack.encode(self.stream.position)
        self._counts = replace(self.stream.counts)

    def stop(self) -> None:
        """Save, and end the run."""
        self.save()
        self.stream.close()

    def read_and_stop(self) -> list[bytes]:
        """Read what is there, save, and end the run."""
        lines = read_all(self.stream)
        self.stop()
        return lines

    def read_to_the_end(self) -> list[bytes]:
        """Read all, and let so much time pass that each file is known to be finished."""
        lines = []
        for _ in range(8):
            lines += read_all(self.stream)
            self._clock.time += WAIT
        return lines


def compress(path: Path) -> None:
    """Compress a file as gzip does: its time of change is kept."""
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    shutil.copystat(path, packed)
    path.unlink()
