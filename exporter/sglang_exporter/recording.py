"""A recorded run on disk: its lines in the order they were written, with their printed times shifted as one block.

Times printed in a log are taken as UTC, which is the zone of the recordings that this project keeps.
"""

import gzip
import math
import re
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from heapq import merge
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

_STAMP = re.compile(rb'(?<=\[)\d{4}-\d\d-\d\d \d\d:\d\d:\d\d|(?<="timestamp": ")\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d')
_EPOCH = re.compile(rb'(?<=")((?:submitted_at|finished_at|created)"\s*:\s*)(\d{10})(?!\d)')
_FINISHED = re.compile(rb'"finished_at"\s*:\s*(\d{10}(?:\.\d+)?)')


class RecordingError(Exception):
    """The recording cannot be read; the message names it and says why."""


class Shift(NamedTuple):
    """Whole seconds to add: to numbers counted from the epoch, and to printed times, which are local to the host."""

    epoch: int
    printed: int


class Delivery(NamedTuple):
    """A line to be written to file `name`, so many seconds after the start at speed 1."""

    after: float
    name: str
    line: bytes


class Part(NamedTuple):
    """A file of a recording; `time_of` says when a line was written, None if the line does not, `shifted` moves it."""

    path: Path
    name: str
    time_of: Callable[[bytes], float | None]
    shifted: Callable[[bytes, Shift], bytes]

    def lines(self) -> Iterator[bytes]:
        """Yield the lines with their ends; RecordingError if they cannot be read."""
        try:
            with gzip.open(self.path) if self.path.suffix == ".gz" else self.path.open("rb") as file:
                yield from file
        except (OSError, EOFError, zlib.error) as error:
            raise RecordingError(f"{self.path}: {error}") from error

    def deliveries(self, began: int, shift: Shift) -> Iterator[Delivery]:
        """Yield the lines in order; one without a time, or with an earlier one, comes right after the line before."""
        latest = float(began)
        for line in self.lines():
            latest = max(latest, self.time_of(line) or latest)
            yield Delivery(latest - began, self.name, self.shifted(line, shift))


class Recording(NamedTuple):
    """The files of one run, and the second since the epoch in which the first line with a time was written."""

    parts: list[Part]
    began: int

    @property
    def names(self) -> list[str]:
        """The files' names when replayed."""
        return [part.name for part in self.parts]

    def schedule(self, now: float, utc_offset: timedelta) -> Iterator[Delivery]:
        """Yield every line by the time it is due, its times shifted so that the run begins `now`, none later than due.

        `utc_offset` is that of the zone to print in. Shifts are whole seconds: what a time has after the second stays.
        """
        epoch = math.floor(now) - self.began
        shift = Shift(epoch, epoch + round(utc_offset.total_seconds()))
        return merge(*(part.deliveries(self.began, shift) for part in self.parts), key=attrgetter("after"))


def find_recording(folder: Path) -> Recording:
    """Return the recording in `folder`: `server.log`, `raw_responses.jsonl` or both, plain or with `.gz`."""
    parts = [
        *_part(folder, "server.log", _log_time, _shift_stamps),
        *_part(folder, "raw_responses.jsonl", _record_time, _shift_epochs),
    ]
    if not parts:
        raise RecordingError(f"{folder}: neither server.log nor raw_responses.jsonl is there, plain or with .gz")
    times = [next(filter(None, map(part.time_of, part.lines())), None) for part in parts]
    began = min(filter(None, times), default=None)
    if began is None:
        raise RecordingError(f"{folder}: no line tells a time")
    return Recording(parts, math.floor(began))


def _part(
    folder: Path,
    name: str,
    time_of: Callable[[bytes], float | None],
    shifted: Callable[[bytes, Shift], bytes],
) -> list[Part]:
    paths = (path for path in (folder / name, folder / f"{name}.gz") if path.is_file())
    return [Part(path, name, time_of, shifted) for path in paths][:1]


def _log_time(line: bytes) -> float | None:
    found = _STAMP.search(line)
    moment = _moment(found[0]) if found else None
    return moment.timestamp() if moment else None


def _moment(stamp: bytes) -> datetime | None:
    try:
        return datetime.fromisoformat(stamp.decode()).replace(tzinfo=UTC)
    except ValueError:
        return None


def _shift_stamps(line: bytes, shift: Shift) -> bytes:
    return _STAMP.sub(lambda found: _shifted_stamp(found[0], shift), line)


def _shifted_stamp(stamp: bytes, shift: Shift) -> bytes:
    moment = _moment(stamp)
    if moment is None:
        return stamp
    separator = stamp[10:11].decode()
    return (moment + timedelta(seconds=shift.printed)).replace(tzinfo=None).isoformat(separator).encode()


def _record_time(line: bytes) -> float | None:
    found = _FINISHED.search(line)
    return float(found[1]) if found else None


def _shift_epochs(line: bytes, shift: Shift) -> bytes:
    return _EPOCH.sub(lambda found: found[1] + str(int(found[2]) + shift.epoch).encode(), line)
