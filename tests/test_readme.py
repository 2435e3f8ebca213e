"""The README is short, and what it and docs/ say is so: tables, figures and commands."""

import inspect
import re
import shlex
from pathlib import Path

import pytest

from sglang_exporter.cli import parse
from sglang_exporter.config import Thresholds
from sglang_exporter.metrics.catalogue import CATALOGUE
from sglang_exporter.metrics.row import Row
from support.golden import Golden

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
METRICS = ROOT / "docs/metrics.md"
ALERTS = ROOT / "docs/alerts.md"
PERFORMANCE = ROOT / "docs/performance.md"
MOST_WORDS = 700
_TABLE = re.compile(r"(?<=<!-- metrics -->\n).*(?=<!-- /metrics -->)", re.DOTALL)
_THRESHOLDS = re.compile(r"(?<=<!-- thresholds -->\n).*(?=<!-- /thresholds -->)", re.DOTALL)
_DOCUMENTED = re.compile(r'^    (\w+): .* = ([\d.]+)\n    """(.+)"""$', re.MULTILINE)
_FIGURES = re.compile(r"(?<=\|---\|---\|---\|---\|---\|\n).*(?=<!-- /performance -->)", re.DOTALL)
_QUOTED = ("| log catch-up", "| start to first answer")
_COMMAND = re.compile(r"^ {4}(?:.* \| )?\S*sglang-exporter (--[^>\n]*)", re.MULTILINE)
_DOCUMENTS = (README, ROOT / "deploy/README.md", *sorted((ROOT / "docs").glob("*.md")))


def table() -> str:
    rows = "".join(row_of(row) for row in CATALOGUE)
    return f"| metric | type | labels | meaning |\n|---|---|---|---|\n{rows}"


def row_of(row: Row) -> str:
    labels = ", ".join(f"`{label}`" for label in row.labels)
    return f"| `{row.name}` | {row.type} | {labels} | {row.help} |\n"


def test_the_table_of_metrics_is_the_catalogue(golden: Golden) -> None:
    golden.check(METRICS, _TABLE.sub(lambda _: table(), METRICS.read_text()))


def thresholds() -> str:
    documented = _DOCUMENTED.findall(inspect.getsource(Thresholds))
    assert [key for key, _, _ in documented] == list(Thresholds.__struct_fields__)
    rows = "".join(f"| `{key}` | {float(default):g} | {text} |\n" for key, default, text in documented)
    return f"| key | default | meaning |\n|---|---|---|\n{rows}"


def test_the_table_of_thresholds_is_the_schema(golden: Golden) -> None:
    golden.check(ALERTS, _THRESHOLDS.sub(lambda _: thresholds(), ALERTS.read_text()))


@pytest.mark.parametrize("arguments", [found for each in _DOCUMENTS for found in _COMMAND.findall(each.read_text())])
def test_the_commands_are_accepted(arguments: str) -> None:
    assert parse(["serve", *shlex.split(arguments)])


def test_the_two_commands_of_a_fresh_machine_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^ {4}make (\w+)$", README.read_text(), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)


def test_it_quotes_two_lines_of_what_was_measured(golden: Golden) -> None:
    measured = PERFORMANCE.read_text().splitlines(keepends=True)
    lines = [line for each in _QUOTED for line in measured if line.startswith(each)]
    assert len(lines) == len(_QUOTED)
    golden.check(README, _FIGURES.sub(lambda _: "".join(lines), README.read_text()))


def test_it_can_be_read_in_five_minutes() -> None:
    """By words that are neither in code nor in a table: 200 a minute leave a minute and a half for the commands."""
    prose = [line for line in README.read_text().splitlines() if not line.startswith(("    ", "|", "<!--", "!["))]
    assert len(" ".join(prose).split()) < MOST_WORDS
