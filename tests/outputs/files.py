"""Output files read as the pipeline does, and their records as a list."""

from pathlib import Path

from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record


def read_file(path: Path, reader: OutputReader) -> list[Record]:
    """Return the records of a file, those of a last line without a newline included."""
    return read_bytes(path.read_bytes(), reader)


def read_bytes(text: bytes, reader: OutputReader) -> list[Record]:
    """Return the records of a file's bytes."""
    *lines, tail = text.split(b"\n")
    records = [record for line in lines for record in reader.read(line)]
    return records + (reader.finish(tail) or [])


def standing(records: list[Record]) -> list[Record]:
    """Return the records that were not withdrawn."""
    kept: list[Record] = []
    for record in records:
        if record.withdrawn:
            del kept[0]  # what is withdrawn is all that was told, in its order
        else:
            kept.append(record)
    return kept
