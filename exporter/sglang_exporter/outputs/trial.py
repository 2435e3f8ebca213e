"""The first lines of a file whose format is not settled yet."""

from msgspec.structs import replace

from sglang_exporter.outputs.decode import Decoded, LineDecoder
from sglang_exporter.outputs.detect import Votes
from sglang_exporter.outputs.measure import Measure
from sglang_exporter.outputs.presets import GENERIC, preset
from sglang_exporter.outputs.reading import Reading
from sglang_exporter.outputs.record import Record

_MOST_BYTES = 1 << 16


class Trial:
    """Reads by the preset that the records so far stand for.

    When they stand for another one, what was told is withdrawn and the lines, which are kept until the trial is over,
    are told again.
    """

    def __init__(self, scope: str, measure: Measure | None = None) -> None:
        self.name = GENERIC
        self.reading = Reading(preset(GENERIC), scope, measure)
        self._scope = scope
        self._measure = measure
        self._votes = Votes()
        self._lines: list[bytes] = []
        self._bytes = 0
        self._told: list[Record] = []

    @property
    def over(self) -> bool:
        """Tell whether the format is settled: enough records have voted, or enough bytes are kept."""
        return self._votes.decided or self._bytes > _MOST_BYTES

    def read(self, line: bytes, decoded: Decoded, decoder: LineDecoder) -> list[Record]:
        """Return what a line adds, with what it makes good of the lines before it."""
        self._lines.append(line)
        self._bytes += len(line)
        for value in decoded.objects:
            self._votes.add(value)
        if self._votes.choice == self.name:
            records = self.reading.records(decoded)
            self._told += records
            return records
        withdrawn = [replace(record, withdrawn=True) for record in self._told]
        self.name = self._votes.choice
        self.reading = Reading(preset(self.name), self._scope, self._measure)
        self._told = [record for kept in self._lines for record in self.reading.records(decoder.decode(kept))]
        return withdrawn + self._told
