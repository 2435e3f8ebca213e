"""Each format as other writers, releases and accidents write it: `variations.yaml`, whose numbers were worked out by hand."""

import json
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from outputs.files import read_bytes, standing
from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.presets import preset, preset_names
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import ERRORS, FINISHES


class Case(NamedTuple):
    name: str
    preset: str
    want: dict[str, Any]
    lines: list[str]

    @property
    def text(self) -> bytes:
        text = "\n".join([*self.lines, ""])
        return text.removesuffix("<end>\n").encode("utf-8", "surrogatepass")


LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
CASES = [
    Case(**case)
    for case in yaml.load(Path(__file__).with_name("variations.yaml").read_text("utf-8"), LOADER)  # noqa: S506 -- safe
]


def is_record(line: str) -> bool:
    """Tell whether a line is one record and nothing else."""
    return line.startswith('{"') and line.endswith("}")


@pytest.fixture(name="case", params=CASES, ids=lambda case: case.name)
def _case(request: pytest.FixtureRequest) -> Case:
    return request.param  # type: ignore[no-any-return]


@pytest.fixture(
    name="lines_case",
    params=[case for case in CASES if case.name != "edge surrogate" and all(map(is_record, case.lines))],
    ids=lambda case: case.name,
)
def _lines_case(request: pytest.FixtureRequest) -> Case:
    return request.param  # type: ignore[no-any-return]


def counted(records: list[Record]) -> dict[str, Any]:
    state = JobState(JobConfig(files=""))
    state.fold(records, 0.0, live=False)
    counts = state.counts
    return {
        "records": counts["records"],
        "skipped": counts["skipped_records"],
        "malformed": counts["malformed_lines"],
        "dup": counts["duplicates"],
        "completions": counts["completions"],
        "errors": sum(counts[name] for name in ERRORS.values()),
        "reasons": {reason: counts[name] for reason, name in ERRORS.items() if counts[name]},
        "out": counts["output_tokens"],
        "missing": counts["uncounted"],
        "failed": counts["failed_output_tokens"],
        "inp": counts["input_tokens"],
        "finish": {reason: counts[name] for reason, name in FINISHES.items() if counts[name]},
        "lat": pytest.approx(counts["latencies.sum"]),
        "done": state.done,
        "good": state.succeeded,
        "live": state.written_live,
    }


def test_it_counts_as_worked_out(case: Case) -> None:
    reader = OutputReader()
    counts = counted(read_bytes(case.text, reader))
    assert reader.preset == case.preset
    assert {key: counts[key] for key in case.want} == case.want


def test_every_preset_has_a_case() -> None:
    assert {case.preset for case in CASES} == set(preset_names())


def test_a_format_that_is_given_counts_the_same(case: Case) -> None:
    given = OutputReader(preset(case.preset))
    assert read_bytes(case.text, given) == standing(read_bytes(case.text, OutputReader()))


def backwards(value: object) -> object:
    """Return a value with the keys of every object in the opposite order."""
    if isinstance(value, dict):
        return {key: backwards(inner) for key, inner in reversed(value.items())}
    return [backwards(inner) for inner in value] if isinstance(value, list) else value


def other_forms(case: Case) -> dict[str, bytes]:
    lines = case.lines
    values = [json.loads(line) for line in lines]
    return {
        "keys in another order": "\n".join(json.dumps(backwards(value)) for value in values).encode(),
        "no spaces": "\n".join(json.dumps(value, separators=(",", ":")) for value in values).encode(),
        "everything spelt out": "\n".join(json.dumps(value, ensure_ascii=True) for value in values).encode(),
        "DOS, with a byte order mark": b"\xef\xbb\xbf" + "\r\n".join([*lines, ""]).encode("utf-8", "surrogatepass"),
        "blank lines between": "\n\n \n".join(lines).encode("utf-8", "surrogatepass"),
        "a list with a record on each line": "\n".join(
            ["[", *(f"{line}," for line in lines[:-1]), lines[-1], "]"]
        ).encode("utf-8", "surrogatepass"),
        "a list that begins with its first record": ("[" + ",\n".join(lines) + "]").encode("utf-8", "surrogatepass"),
        "commas at the ends": "\n".join(f"{line}," for line in lines).encode("utf-8", "surrogatepass"),
        "a logger's head": "\n".join(f"[2026-11-29 15:00:00] {line}" for line in lines).encode(
            "utf-8", "surrogatepass"
        ),
        "a stream's head": "\n\n".join(f"data: {line}" for line in [*lines, "[DONE]"]).encode("utf-8", "surrogatepass"),
        "all in one line": "".join(lines).encode("utf-8", "surrogatepass"),
        "a number that msgspec refuses": "\n".join(f'{{"nan": NaN, {line[1:]}' for line in lines).encode(
            "utf-8", "surrogatepass"
        ),
        "NULs before each": "\n".join(f"\0\0{line}" for line in lines).encode("utf-8", "surrogatepass"),
    }


def test_other_forms_of_the_same_count_the_same(lines_case: Case) -> None:
    wanted = Counter(map(repr, read_bytes(lines_case.text, OutputReader(preset(lines_case.preset)))))
    for form, text in other_forms(lines_case).items():
        told = read_bytes(text, OutputReader(preset(lines_case.preset)))
        assert Counter(map(repr, told)) == wanted, form
