"""What CONTRIBUTING.md says is so, and its recipe for a status field works when it is followed to the letter."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.exporter import parse, pick
from support.servers import decode

ROOT = Path(__file__).parents[1]
PACKAGE = Path("exporter/sglang_exporter")
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
RECIPES = dict(re.findall(r"^## (Add .*)\n\n((?:(?!## ).*\n)*)", CONTRIBUTING, re.MULTILINE))
STEP = re.compile(r"^```python\n# (\S+), (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
STATUS_FIELD = "Add a status field"
LINE = decode("10:00:00") + ", #paused-req: 7"


def follow(recipe: str, folder: Path) -> Path:
    """Do what the blocks of a recipe say in a copy of the package: put each row first in its table."""
    shutil.copytree(ROOT / PACKAGE, folder / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))
    for name, table, rows in STEP.findall(RECIPES[recipe]):
        path = folder / name
        text, count = re.subn(rf"^({table}: .*[\[({{])$", rf"\1\n{rows}", path.read_text(), count=1, flags=re.MULTILINE)
        assert count == 1, f"{name} has no table {table}"
        path.write_text(text)
    return folder / PACKAGE.parent


def page_of(line: str, package: Path, folder: Path) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Return what `once` of the package at that place prints for a log of one line."""
    log = folder / "server.log"
    log.write_text(line + "\n")
    command = [sys.executable, "-m", "sglang_exporter", "once", "--stale-after", "0", "--log", str(log)]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True, timeout=60)
    return parse(done.stdout)


def test_the_recipe_for_a_status_field_gives_a_metric(tmp_path: Path) -> None:
    assert len(STEP.findall(RECIPES[STATUS_FIELD])) == 2
    page = page_of(LINE, follow(STATUS_FIELD, tmp_path), tmp_path)
    assert pick(page, "sglang_server_paused_requests") == 7
    assert pick(page, "sglang_server_running_requests") == 4
    assert pick(page, "sglang_exporter_unrecognised_lines_total", reason="unknown_field") == 0


def test_without_the_recipe_the_field_is_counted_as_unknown(tmp_path: Path) -> None:
    page = page_of(LINE, ROOT / PACKAGE.parent, tmp_path)
    assert pick(page, "sglang_server_paused_requests") is None
    assert pick(page, "sglang_exporter_unrecognised_lines_total", reason="unknown_field") == 1


@pytest.mark.parametrize("recipe", RECIPES)
def test_a_recipe_is_short_and_names_files(recipe: str) -> None:
    prose = STEP.sub("", RECIPES[recipe])
    assert len([row for row in prose.splitlines() if row]) <= 10
    assert re.search(r"`(?:exporter|tests)/\S+`", prose)


@pytest.mark.parametrize("path", sorted(set(re.findall(r"`([\w.-]+/[\w./-]*)`", CONTRIBUTING))))
def test_what_it_names_is_there(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("target", sorted(set(re.findall(r"\bmake ([a-z]+)(?:`|$)", CONTRIBUTING, re.MULTILINE))))
def test_the_commands_that_it_gives_are_targets(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
