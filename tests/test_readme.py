"""The README's table of metrics is the catalogue, and its commands are ones that there are."""

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
_TABLE = re.compile(r"(?<=<!-- metrics -->\n).*(?=<!-- /metrics -->)", re.DOTALL)
_THRESHOLDS = re.compile(r"(?<=<!-- thresholds -->\n).*(?=<!-- /thresholds -->)", re.DOTALL)
_DOCUMENTED = re.compile(r'^    (\w+): .* = ([\d.]+)\n    """(.+)"""$', re.MULTILINE)
_COMMAND = re.compile(r"^ {4}(?:.* \| )?\S*sglang-exporter (--[^>\n]*)", re.MULTILINE)
_DOCUMENTS = (README, ROOT / "deploy/README.md")


def table() -> str:
    rows = "".join(row_of(row) for row in CATALOGUE)
    return f"| metric | type | labels | meaning |\n|---|---|---|---|\n{rows}"


def row_of(row: Row) -> str:
    labels = ", ".join(f"`{label}`" for label in row.labels)
    return f"| `{row.name}` | {row.type} | {labels} | {row.help} |\n"


def test_the_table_of_metrics_is_the_catalogue(golden: Golden) -> None:
    golden.check(README, _TABLE.sub(lambda _: table(), README.read_text()))


def thresholds() -> str:
    documented = _DOCUMENTED.findall(inspect.getsource(Thresholds))
    assert [key for key, _, _ in documented] == list(Thresholds.__struct_fields__)
    rows = "".join(f"| `{key}` | {float(default):g} | {text} |\n" for key, default, text in documented)
    return f"| key | default | meaning |\n|---|---|---|\n{rows}"


def test_the_table_of_thresholds_is_the_schema(golden: Golden) -> None:
    golden.check(README, _THRESHOLDS.sub(lambda _: thresholds(), README.read_text()))


@pytest.mark.parametrize("arguments", [found for each in _DOCUMENTS for found in _COMMAND.findall(each.read_text())])
def test_the_commands_are_accepted(arguments: str) -> None:
    assert parse(["serve", *shlex.split(arguments)])


def test_the_two_commands_of_a_fresh_machine_are_targets_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^ {4}make (\w+)$", README.read_text(), re.MULTILINE):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
