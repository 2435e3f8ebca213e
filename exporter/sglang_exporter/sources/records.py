"""The lines of an output file to records, those that are alike together."""

from collections.abc import Callable, Sequence

from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.outputs.typed import Values

Read = tuple[list[Record], Exception | None]
"""The records of lines, and what one of the lines failed of."""


def read_lines(reader: OutputReader, lines: Sequence[bytes], *, apart: bool, count_fault: Callable[[], None]) -> Read:
    """Return the records of lines in their order; with `apart`, each by itself. A line that fails costs but itself."""
    fault: Exception | None = None
    records: list[Record] = []
    alike: list[Values] = []
    quick = None if apart else reader.quick
    for line in lines:
        try:
            if quick and (values := quick.look(line)):
                alike.append(values)
                continue
            if quick and alike:
                records.append(quick.together(alike))
                alike = []
            records += reader.read(line)
            quick = None if apart else reader.quick
        except Exception as error:  # noqa: BLE001 -- the lines after a bad one are good
            fault = error
            count_fault()
    if quick and alike:
        records.append(quick.together(alike))
    return records, fault
