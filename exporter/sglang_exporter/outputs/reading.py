"""A mapping at work on one file."""

from sglang_exporter.outputs.decode import REFUSED, Decoded
from sglang_exporter.outputs.mapping import Mapping
from sglang_exporter.outputs.measure import Measure
from sglang_exporter.outputs.measured import MeasuredMapping
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.stream import Stream
from sglang_exporter.outputs.typed import Alike

_FEW = 16
"""Records before there is a type for those like them: to make one takes as long as they."""


class Reading:
    """A mapping, with what it must remember of the file that it reads.

    `scope` makes the file's ids its own, `measure` estimates the tokens of completions without a count.
    """

    def __init__(self, mapping: Mapping, scope: str, measure: Measure | None = None) -> None:
        self.mapping = MeasuredMapping(mapping.scheme, measure) if measure else mapping
        self._scope = scope if mapping.scheme.id_scope == "file" else ""
        self._stream = Stream() if mapping.scheme.stream else None
        self._decode, self._read = self.mapping.decoder.decode, self.mapping.read
        self._simple = not (mapping.nests or mapping.scheme.stream)
        self.typed: Alike | None = None
        """Reads a line that is a record like those before; None where it is any other, or there are too few."""
        self._others = 0

    def record(self, line: bytes) -> Record | None:
        """Return what a line adds that is one record and nothing else; None where it takes a closer look to tell."""
        if not self._simple:
            return None
        try:
            value = self._decode(line)
        except REFUSED:
            return None
        return self._untyped(value) if type(value) is dict else None

    def _untyped(self, value: dict[str, object]) -> Record:
        """Return what a record counts as; have those after it read like it, if it is the 16th, 32nd, 64th ... other."""
        self._others += 1
        if self._others >= _FEW and self._others.bit_count() == 1:
            self.typed = self.mapping.typed(value, self._scope)
        return self._read(value, self._scope)

    def records(self, decoded: Decoded) -> list[Record]:
        """Return what the objects of one line add."""
        objects, malformed = decoded
        if self.mapping.nests:
            objects = [record for value in objects for record in self.mapping.records(value)]
        records = [self.mapping.read(record, self._scope) for record in objects]
        if self._stream is not None:
            records = [self._stream.growth(record) for record in records]
        if malformed:
            records.append(Record(malformed=True))
        return records
