"""The total of a job out of other files, and the progress that is told by it."""

import gzip
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from sglang_exporter.config import JobConfig, TotalConfig, Unit
from sglang_exporter.sources.counting import count_lines
from sglang_exporter.sources.total import Total
from sources.followed import Followed, job, line
from support.exporter import pick


def value(config: TotalConfig, dataset: str = "math") -> int | None:
    total = Total(config, dataset)
    while total.busy:
        total.advance(0.0)
    return total.value


def follow(folder: Path, total: TotalConfig | int, unit: Unit | None = None) -> Followed:
    return Followed("", JobConfig(files=f"{folder}/{{dataset}}.jsonl", total=total, unit=unit))


@pytest.mark.parametrize("packed", [False, True])
def test_lines_that_are_not_blank(tmp_path: Path, packed: bool) -> None:  # noqa: FBT001 -- a case
    text = b'{"a": 1}\n\n  \n{"b": 2}\r\n\r\n' + b"x" * (9 << 20) + b'\n   \n{"c": "no line feed"}'
    path = tmp_path / ("math.jsonl.gz" if packed else "math.jsonl")
    path.write_bytes(gzip.compress(text, 1) if packed else text)
    assert value(TotalConfig(lines=f"{tmp_path}/{{dataset}}.jsonl*")) == 4


@pytest.mark.parametrize("cut", [0, 1, 2, 3, 4, 5, 6])
def test_a_line_may_lie_on_the_edge_of_a_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cut: int) -> None:
    monkeypatch.setattr("sglang_exporter.sources.counting._PIECE", 4)
    path = tmp_path / "prompts.jsonl"
    path.write_bytes(b"ab cd\n \n\nefghijkl\n  m"[cut:])
    lines = path.read_bytes().split(b"\n")
    found: list[int] = []

    def counting() -> Iterator[None]:
        found.append((yield from count_lines(str(path))))

    assert list(counting())
    assert found == [sum(1 for text in lines if text.strip())]


def test_several_files_times_the_answers_of_each_line(tmp_path: Path) -> None:
    for shard in range(3):
        (tmp_path / f"part-{shard}.jsonl").write_text("p\n" * (shard + 1))
    (tmp_path / "more.jsonl").write_text("p\n")
    patterns = [f"{tmp_path}/part-*.jsonl", f"{tmp_path}/more.jsonl"]
    assert value(TotalConfig(lines=patterns, times=4)) == 28


@pytest.mark.parametrize(
    ("document", "place", "expected"),
    [
        ({"counts": {"math": 7}}, "counts.{dataset}", 7),
        ({"counts": {"a.b": 7}}, "counts.{dataset}", 7),
        ({"prompts": ["x"] * 9}, "prompts", 9),
        (["x", "y"], "", 2),
        ({"sets": [{"n": 4.0}]}, "sets[0].n", 4),
        ({"counts": {"math": True}}, "counts.{dataset}", None),
        ({"counts": {"math": 7.5}}, "counts.{dataset}", None),
        ({"counts": {"math": "secret"}}, "counts.{dataset}", None),
        ({}, "counts.math", None),
        ([], "[3]", None),
    ],
)
def test_a_number_or_a_list_in_a_document(tmp_path: Path, document: object, place: str, expected: int | None) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(document))
    dataset = "a.b" if "a.b" in path.read_text() else "math"
    assert value(TotalConfig(json=f"{tmp_path}/manifest.json", path=place), dataset) == expected


def test_what_is_wrong_is_said_once_and_quotes_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "manifest.json"
    path.write_text('{"hunter2": ')
    total = Total(TotalConfig(json=str(path)), "math")
    with caplog.at_level(logging.WARNING):
        for minute in range(5):
            total.advance(minute * 60.0)
            total.advance(minute * 60.0)
    assert total.value is None
    assert [record.getMessage() for record in caplog.records] == ["no total can be told"]
    assert "hunter2" not in repr([vars(record) for record in caplog.records])
    assert "no JSON document" in repr([vars(record) for record in caplog.records])


@pytest.mark.parametrize("broken", ["nothing", "a folder", "no gzip"])
def test_a_file_that_cannot_be_counted_gives_no_total(tmp_path: Path, broken: str) -> None:
    path = tmp_path / "math.gz"
    if broken == "a folder":
        path.mkdir()
    elif broken == "no gzip":
        path.write_bytes(b"plain")
    assert value(TotalConfig(lines=str(path))) is None


def test_a_prompts_file_that_grows_is_counted_again_after_a_minute(tmp_path: Path) -> None:
    prompts = tmp_path / "prompts.txt"
    prompts.write_text("p\n" * 5)
    (tmp_path / "math.jsonl").write_text(line([1, 10]) + "\n")
    followed = follow(tmp_path, TotalConfig(lines=str(prompts)))
    assert job(followed.poll(), "expected") == 5
    prompts.write_text("p\n" * 8)
    assert job(followed.poll(), "expected") == 5
    followed.wait(60.0)
    assert job(followed.page(), "expected") == 8
    prompts.unlink()
    followed.wait(61.0)
    assert pick(followed.page(), "sglang_job_expected") is None


def test_each_data_set_has_its_own(tmp_path: Path) -> None:
    (tmp_path / "prompts").mkdir()
    for name, prompts in (("math", 3), ("code[1]", 5)):
        (tmp_path / "prompts" / f"{name}.txt").write_text("p\n" * prompts)
        (tmp_path / f"{name}.jsonl").write_text(line([1, 10]) + "\n")
    page = follow(tmp_path, TotalConfig(lines=f"{tmp_path}/prompts/{{dataset}}.txt")).poll()
    assert pick(page, "sglang_job_expected", dataset="math") == 3
    assert pick(page, "sglang_job_expected", dataset="code[1]") == 5


@pytest.mark.parametrize(
    ("times", "unit", "expected", "done"),
    [(None, None, 5, 2), (4, None, 20, 5), (4, "records", 20, 2), (None, "completions", 5, 5)],
)
def test_the_unit(tmp_path: Path, times: int | None, unit: Unit | None, expected: int, done: int) -> None:
    (tmp_path / "prompts.txt").write_text("p\n" * 5)
    records = [{"id": number, "responses": ["x"] * (number + 2), "output_tokens": 7} for number in range(2)]
    (tmp_path / "math.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    page = follow(tmp_path, TotalConfig(lines=f"{tmp_path}/prompts.txt", times=times), unit).poll()
    assert (job(page, "expected"), job(page, "done"), job(page, "excess")) == (expected, done, 0)


def test_nothing_ends_before_all_is_counted(tmp_path: Path) -> None:
    (tmp_path / "prompts.txt").write_bytes(b"p\n" * (10 << 20))
    (tmp_path / "math.jsonl").write_text(line([1, 10]) + "\n")
    followed = follow(tmp_path, TotalConfig(lines=f"{tmp_path}/prompts.txt"))
    while followed.exporter.pipeline.step():
        pass
    assert job(followed.page(), "expected") == 10 << 20
