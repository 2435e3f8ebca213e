"""One output file: its lines to records, whatever its format."""

from sglang_exporter.outputs.decode import LineDecoder
from sglang_exporter.outputs.document import Document, begins_document, begins_record
from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.measure import Measure
from sglang_exporter.outputs.reading import Reading
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.trial import Trial
from sglang_exporter.outputs.typed import Alike

_MOST_DOCUMENT_BYTES = 64 << 20


class OutputReader:
    """Reader of one file.

    Without a mapping, it is read by the preset that the first records stand for. `scope`, one for each file, keeps the
    ids of several files apart. A document longer than `document_limit` bytes is malformed. `measure` estimates the
    tokens of completions without a count.
    """

    def __init__(
        self,
        mapping: Mapping | None = None,
        *,
        scope: str = "",
        document_limit: int = _MOST_DOCUMENT_BYTES,
        measure: Measure | None = None,
    ) -> None:
        self.preset: str | None = None
        """Name of the preset that was found; None before the first line, and where a mapping was given."""
        self._document_limit = document_limit
        self._lines = LineDecoder()
        self._document: Document | None = None
        self._at_start = True
        self._trial: Trial | None = None
        self._quick: Reading | None = None
        if mapping is None:
            self._trial = Trial(scope, measure)
        else:
            self._settle(Reading(mapping, scope, measure))

    @property
    def shares_ids(self) -> bool:
        """Whether ids are the same in other files of the job."""
        reading = self._trial.reading if self._trial else self._reading
        return reading.mapping.scheme.id_scope == "job"

    @property
    def settled(self) -> bool:
        """Whether it is clear by which mapping the file is read."""
        return self._trial is None

    @property
    def quick(self) -> Alike | None:
        """What reads a line that is a record like those before, and returns None for any other; None where it may not.

        All that `read` is told changes it.
        """
        return self._quick.typed if self._quick else None

    def read(self, line: bytes) -> list[Record]:
        """Return what a line adds; the lines of a document add nothing before its end."""
        if self._quick and (record := self._quick.record(line)):  # a third of the calls that `_read` takes
            return [record]
        if not self._at_start:
            return self._read(line)
        if self._document is not None:
            return self._collect(self._document, line)
        if begins_document(line):
            self._document = Document(line, self._document_limit)
            return []
        return self._read(line)

    def finish(self, tail: bytes = b"") -> list[Record] | None:
        """Return what the bytes after the last newline add; None while they are not whole: they are not taken then."""
        if self._document is None:
            return None if self._lines.decode(tail).malformed else self._read(tail)
        whole = self._document.whole(tail)
        return None if whole is None else self._close(whole)

    def _collect(self, document: Document, line: bytes) -> list[Record]:
        if begins_record(line):  # a torn first line it was, and no document
            self._document = None
            self._at_start = False
            return [record for kept in (*document.lines, line) for record in self._read(kept)]
        was_too_long = document.too_long
        whole = document.add(line)
        if whole is not None:
            return self._close(whole)
        return [Record(malformed=True)] if document.too_long and not was_too_long else []

    def _close(self, whole: bytes) -> list[Record]:
        """Read a document; what follows may be another."""
        self._document = None
        records = self._read(whole)
        self._at_start = True
        self._quick = None
        return records

    def _read(self, line: bytes) -> list[Record]:
        decoded = self._lines.decode(line)
        if self._at_start and decoded.objects:
            self._at_start = False
        if self._trial is None:
            self._quick = self._reading if self._lines.opener else None
            return self._reading.records(decoded)
        records = self._trial.read(line, decoded, self._lines)
        self.preset = self._trial.name
        if self._trial.over:
            self._settle(self._trial.reading)
        return records

    def _settle(self, reading: Reading) -> None:
        self._reading = reading
        self._trial = None
        self._lines.decoder = reading.mapping.decoder
