"""The report as text, markdown and JSON: it fits, says the same, and keeps to its schema."""

import io
import json
import re
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
import pytest
from rich.console import Console

from sglang_exporter.config import Config, JobConfig, ServerConfig
from sglang_exporter.report.command import Choice, as_json, read
from sglang_exporter.report.findings import Limit, Report
from sglang_exporter.report.history import Span
from sglang_exporter.report.markdown import markdown
from sglang_exporter.report.telling import tell
from sglang_exporter.report.text import print_text
from support.golden import Golden
from support.recordings import unpack
from support.schema import schema

GOLDEN = Path(__file__).parent / "golden"
SCHEMA = Path(__file__).parents[2] / "exporter" / "sglang_exporter" / "report" / "schema.json"


@cache
def report() -> Report:
    with TemporaryDirectory() as folder:
        log = unpack("0.5.23-batch", "server.log", Path(folder))
        outputs = unpack("0.5.23-batch", "raw_responses.jsonl", Path(folder))
        server = ServerConfig(logs=str(log), name="server", timezone="UTC")
        job = JobConfig(files=str(outputs), name="job", total=3000)
        return read(Config(servers=[server], jobs=[job]), Choice(Span()))


def text(width: int, *, colour: bool = False) -> str:
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=colour, color_system="standard" if colour else None)
    print_text(tell(report()), console)
    return "".join(f"{line.rstrip()}\n" for line in out.getvalue().splitlines())


def _words(limit: Limit) -> set[str]:
    """Return the words of the table that is the widest."""
    return {word for one in limit.next for cell in (one.change, one.direction, one.cost) for word in cell.split()}


@pytest.mark.parametrize("width", [100, 80])
def test_the_text_fits(width: int, golden: Golden) -> None:
    drawn = text(width)
    assert max(len(line) for line in drawn.splitlines()) <= width
    assert "…" not in drawn
    words = {word for epoch in report().engines[0].epochs if epoch.limit for word in _words(epoch.limit)}
    assert words <= set(drawn.split())
    golden.check(GOLDEN / f"0.5.23-batch.{width}.txt", drawn)


def test_a_wider_terminal_gets_no_wider_text() -> None:
    assert text(200) == text(100)


def test_colour_changes_no_word() -> None:
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text(100, colour=True))
    assert [line.rstrip() for line in plain.splitlines()] == [line.rstrip() for line in text(100).splitlines()]
    assert "\x1b[" in text(100, colour=True)
    assert "\x1b[" not in text(100)


def test_the_markdown_of_a_recording(golden: Golden) -> None:
    golden.check(GOLDEN / "0.5.23-batch.md", markdown(tell(report())))


def test_markdown_tables_have_as_many_cells_in_every_row() -> None:
    tables = re.findall(r"(?:^\|.*\|\n)+", markdown(tell(report())), re.MULTILINE)
    assert len(tables) > 10
    for table in tables:
        cells = {len(re.findall(r"(?<!\\)\|", row)) for row in table.splitlines()}
        assert len(cells) == 1, table


def test_words_that_mean_something_in_markdown_are_escaped() -> None:
    assert "kv\\_cache\\_dtype: auto -\\> fp8\\_e5m2" in markdown(tell(report()))


def test_the_json_keeps_to_its_schema() -> None:
    again = msgspec.json.decode(as_json(report()), type=Report, strict=True)
    assert again == report()


def test_the_schema_is_the_one_that_is_shipped(golden: Golden) -> None:
    golden.check(SCHEMA, json.dumps(schema(), indent=2) + "\n")


def test_the_schema_says_what_each_object_and_number_is() -> None:
    objects = json.loads(SCHEMA.read_text())["$defs"]
    bare = {
        field
        for one in objects.values()
        for field, form in one["properties"].items()
        if "description" not in form and "$ref" not in form
    }
    assert not bare
    assert {"Report", "Engine", "Epoch", "Work", "Proven", "Limit", "Comparison", "Job"} <= set(objects)
    assert all(one.get("description") for one in objects.values())


def test_the_documents_quote_a_real_report() -> None:
    page = (Path(__file__).parents[2] / "docs/report.md").read_text()
    [quoted] = re.findall(r"```\n(Epoch .*?)```", page, re.DOTALL)
    assert quoted in (GOLDEN / "0.5.23-batch.100.txt").read_text()
