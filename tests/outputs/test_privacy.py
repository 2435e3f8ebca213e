"""Nothing that people or models wrote leaves the reader, nor what identifies them."""

import json
from pathlib import Path

import pytest

from outputs.files import read_bytes
from sglang_exporter.outputs.given import AUTO, compile_format
from sglang_exporter.outputs.presets import preset_names
from sglang_exporter.outputs.reader import OutputReader

SAMPLES = sorted((Path(__file__).parent / "samples").glob("*.jsonl"))
PLANTED = "hunter2"


def planted(value: object) -> object:
    """Return a value with the secret in every string of it."""
    if isinstance(value, dict):
        return {key: planted(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [planted(inner) for inner in value]
    return f"{PLANTED} {value}" if isinstance(value, str) else value


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_no_secret_in_any_record(path: Path) -> None:
    lines = [json.dumps(planted(json.loads(line))).encode() for line in path.read_bytes().splitlines()]
    torn = [*lines, lines[0][:-9] + lines[0], lines[0][:-9]]
    for output_format in (AUTO, *preset_names()):
        records = read_bytes(b"\n".join(torn), OutputReader(compile_format(output_format)))
        assert records
        assert PLANTED not in repr(records)
