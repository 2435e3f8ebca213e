"""Which preset a file is of, and what becomes of what was told before that was clear."""

import json
from typing import Any

from outputs.files import read_bytes, standing
from sglang_exporter.config import JobConfig
from sglang_exporter.outputs.presets import preset
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState

ERROR = {"prompt_id": "p", "response": None, "error": "ReadTimeout"}
CHUNK = {"text": "a", "meta_info": {"id": "r2", "finish_reason": None, "prompt_tokens": 9, "completion_tokens": 1}}
LAST = {
    "text": "ab",
    "meta_info": {"id": "r1", "finish_reason": {"type": "stop"}, "prompt_tokens": 9, "completion_tokens": 2},
}


def wrapped(number: int) -> dict[str, Any]:
    choice = {"message": {"content": "c"}, "finish_reason": "stop"}
    return {"prompt_id": number, "response": {"choices": [choice], "usage": {"completion_tokens": number}}}


def plain(number: int) -> dict[str, Any]:
    return {"id": number, "response": "r", "completion_tokens": number}


def line(record: object) -> bytes:
    return json.dumps(record).encode()


def presets(*records: object) -> list[str | None]:
    reader = OutputReader()
    found = []
    for record in records:
        reader.read(line(record))
        found.append(reader.preset)
    return found


def test_before_the_first_line_nothing_is_known() -> None:
    assert OutputReader().preset is None


def test_failed_requests_do_not_vote_while_there_are_others() -> None:
    assert presets(*[ERROR] * 30, wrapped(1)) == ["generic"] * 30 + ["openai-wrapped"]


def test_the_choice_stands_after_twenty_records() -> None:
    assert presets(*map(plain, range(20)), *map(wrapped, range(60)))[-1] == "generic"


def test_half_of_the_records_are_enough() -> None:
    assert presets(plain(1), wrapped(2)) == ["generic", "openai-wrapped"]
    assert presets(plain(1), plain(2), wrapped(3)) == ["generic"] * 3


def test_the_choice_stands_after_64_kibibytes() -> None:
    long = {"id": 1, "response": "r" * (1 << 16)}
    assert presets(long, *map(wrapped, range(60)))[-1] == "generic"


def test_what_was_told_by_another_preset_is_withdrawn_and_told_again() -> None:
    reader = OutputReader()
    first = reader.read(line(LAST))
    assert [(record.completions, record.output_tokens) for record in first] == [(1, 2)]
    again = reader.read(line(CHUNK))
    assert reader.preset == "sglang-stream"
    assert [(record.withdrawn, record.completions, record.output_tokens) for record in again] == [
        (True, 1, 2),
        (False, 1, 2),
        (False, 0, 1),
    ]


def test_a_late_choice_counts_like_an_early_one_and_no_count_ever_falls() -> None:
    lines = [line(record) for record in [*[ERROR] * 3, plain(7), plain(8), *map(wrapped, range(1, 40))]]
    told: list[Record] = []
    late = OutputReader()
    state = JobState(JobConfig(files=""))
    for each in lines:
        before = state.totals()
        records = late.read(each)
        told += records
        state.fold(records, 0.0, live=False)
        fallen = [name for name, count in state.totals().items() if count < before[name]]
        assert not fallen
    assert late.preset == "openai-wrapped"
    assert any(record.withdrawn for record in told)
    early = OutputReader(preset("openai-wrapped"))
    at_once = JobState(JobConfig(files=""))
    at_once.fold([record for each in lines for record in early.read(each)], 0.0, live=False)
    assert state.counts == at_once.counts
    told_too_much = {name for name, count in state.totals().items() if count > state.counts[name]}
    assert told_too_much == {"finish_reasons.unknown"}
    assert (state.done, state.succeeded) == (at_once.done, at_once.succeeded)


def test_a_given_format_is_not_voted_on() -> None:
    reader = OutputReader(preset("generic"))
    records = read_bytes(b"\n".join(line(wrapped(n)) for n in range(30)), reader)
    assert not any(record.withdrawn for record in records)
    assert len(standing(records)) == 30
