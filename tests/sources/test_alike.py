"""Records that are read together count as those that are read one by one, whatever comes between them."""

import json
from pathlib import Path
from random import Random

import pytest

from sglang_exporter.outputs.presets import preset
from sglang_exporter.outputs.reader import OutputReader
from sglang_exporter.outputs.record import Record
from sglang_exporter.sources.output import OutputSource
from sglang_exporter.sources.records import read_lines
from sglang_exporter.state.content import Content
from sources.followed import Followed
from support.exporter import Samples


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a file read in many pieces: it is by the end of one that records are known to be alike."""
    monkeypatch.setattr(OutputSource, "budget", 1 << 12)


ODD: tuple[dict[str, object], ...] = ({"error": "timeout"}, {"response": None}, {"id": 7}, {"status": "ok"})


def lines(seed: int, ids: int) -> list[str]:
    """Return lines of which most are plain records, with ids of which some come again."""
    random, written = Random(seed), []
    for number in range(400):
        record: dict[str, object] = {
            "id": f"a-{random.randrange(ids)}",
            "response": "x",
            "usage": {"completion_tokens": number + 1},
        }
        record |= {"finish_reason": random.choice(("stop", "length")), "latency": random.uniform(0, 90)}
        odd = random.randrange(40)
        record |= ODD[odd] if odd < len(ODD) else {}
        written.append("{torn\n" if odd == len(ODD) else json.dumps(record) + "\n")
    return written


def told(path: Path) -> list[Samples]:
    """Return what is told of a job whose file is begun, goes on, is written anew with more in it, and is started over."""
    followed = Followed(str(path))
    pages = []
    for mode, seed, ids in (("w", 1, 300), ("a", 2, 300), ("w", 1, 300), ("a", 3, 500), ("w", 4, 10_000)):
        with path.open(mode) as file:
            file.writelines(lines(seed, ids))
        page = followed.poll(idle=True)
        pages.append(
            {key: value for key, value in page.items() if key[0].startswith("sglang_job_") and "time" not in key[0]}
        )
    return pages


def test_together_they_count_as_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers: set[int] = set()
    path = tmp_path / "answers.jsonl"
    fold = Content.fold

    def noted(content: Content, records: list[Record], *rest: object) -> object:
        numbers.update(record.number for record in records)
        return fold(content, records, *rest)  # type: ignore[arg-type]

    with monkeypatch.context() as patched:
        patched.setattr(Content, "fold", noted)
        together = told(path)
    assert max(numbers) > 5
    monkeypatch.setattr(OutputReader, "quick", None)
    path.unlink()
    assert told(path) == together


def plain(number: int) -> bytes:
    return json.dumps({"id": f"a-{number}", "response": "x", "completion_tokens": 7}).encode()


def test_a_document_ends_what_is_known_of_the_lines_before_it() -> None:
    document = [b"{", b' "id": "a"', b"}"]
    pieces = [*document, b"", *map(plain, range(40))], [*document, plain(1), plain(2), b"{", plain(3), b"torn"]
    malformed = []
    for apart in (False, True):
        reader = OutputReader(preset("generic"))
        read = [read_lines(reader, lines, apart=apart, count_fault=pytest.fail)[0] for lines in pieces]
        malformed.append(sum(record.malformed for records in read for record in records))
    assert malformed == [2, 2]


def test_what_is_learnt_of_a_line_is_known_of_the_next() -> None:
    read, _ = read_lines(
        OutputReader(preset("generic")), [*map(plain, range(40))], apart=False, count_fault=pytest.fail
    )
    assert max(record.number for record in read) > 20
