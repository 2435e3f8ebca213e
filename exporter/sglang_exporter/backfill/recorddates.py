"""When the lines of one output file were written, by what its records, or the server's log, tell."""

from collections.abc import Iterable
from typing import NamedTuple

from sglang_exporter.backfill.answers import Answers
from sglang_exporter.follow.chunk import Chunk
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.serverlog.stamps import DAY


class Survey(NamedTuple):
    """What an output file has: when the first record that tells was over, else how many were answered."""

    first: float | None
    answered: int
    mtime: float


def survey(parts: Iterable[Chunk], reader: OutputReader) -> Survey:
    """Return what a file has; it is read only up to the first record that tells a time."""
    told, mtime = RecordTimes(reader), 0.0
    for chunk in parts:
        mtime = chunk.mtime
        for line in chunk.lines:
            if (at := told(line, mtime)) is not None:
                return Survey(at, told.answered, mtime)
    return Survey(None, told.answered, mtime)


class RecordTimes:
    """Dates lines by their records' own times, of which none is a day after the file's last change.

    A client's clock may be ahead, and a time without a zone is a few hours off.
    """

    def __init__(self, reader: OutputReader) -> None:
        self._reader = reader
        self.answered = 0
        """How many records with a completion have been read; a request that failed need not have been answered."""

    def __call__(self, line: bytes, mtime: float) -> float | None:
        """Return when the last record of a line was over, None if it does not tell."""
        records = self._reader.read(line)
        self.answered += sum(record.completions > 0 for record in records)
        times = [record.timestamp for record in records if record.timestamp is not None]
        return min(max(times), mtime + DAY) if times else None


class SpreadTimes:
    """Dates lines by the answers in a log: a share of the completed records comes with that share of the answers.

    A record without a completion comes with the line ahead of it.
    """

    def __init__(self, reader: OutputReader, answers: Answers, total: int) -> None:
        self._told = RecordTimes(reader)
        self._answers = answers
        self._total = total

    def __call__(self, line: bytes, mtime: float) -> float | None:
        """Return when the last record of a line was answered, None for a line with no completion in it."""
        before = self._told.answered
        self._told(line, mtime)
        if self._told.answered == before:
            return None
        return self._answers.at(self._told.answered / self._total)
