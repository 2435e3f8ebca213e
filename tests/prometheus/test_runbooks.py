"""Every alert has a page that a novice can follow at night: queries that work, flags that exist, what a change costs."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sglang_exporter.config import Thresholds
from sglang_exporter.metrics.catalogue import BY_NAME

SHIPPED = Path(__file__).parents[2] / "prometheus"
LINES = Path(__file__).parents[1] / "serverlog" / "lines"
PARTS = ["Meaning", "Impact", "Diagnosis", "Mitigation"]
RAW_NAME = re.compile(r"(?<![:\w])sglang_\w+(?![:\w])")
RECORDED_NAME = re.compile(r"\b[a-z_]+:(?:sglang|process)_\w+:\w+")
ALERT = re.compile(r"SGLang[A-Z]\w+")
FLAG = re.compile(r"`--([a-z][a-z0-9.-]+)")
ARGUMENT = re.compile(r"[(,{ ]'?([a-z]\w+)'?(?:=|: )")
NO_FLAGS_OF_SGLANG = {"checkpoint", "log"}  # the exporter's own
SETTABLE = re.compile(r"`(\w+)`[^`]{0,60}unless set")


def groups(name: str) -> list[dict[str, list[dict[str, str]]]]:
    return list(yaml.safe_load((SHIPPED / "rules" / name).read_text())["groups"])


ALERTS = {rule["alert"] for group in groups("alerts.yml") for rule in group["rules"]}
RECORDED = {rule["record"] for group in groups("recording.yml") for rule in group["rules"]}
PAGES = {path.stem: path.read_text() for path in sorted(SHIPPED.glob("runbooks/*.md"))}
each_page = pytest.mark.parametrize("name", PAGES)


def arguments() -> set[str]:
    """Return the names of the arguments that any release prints at its start, as in the committed lines."""
    lines = (line for path in LINES.glob("*.log") for line in path.read_text().splitlines() if "server_args=" in line)
    return {name for line in lines for name in ARGUMENT.findall(line.partition("server_args=")[2])}


def table_rows(page: str) -> Iterator[list[str]]:
    """Yield the rows of the page's tables of changes, as cells."""
    changes = False
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and "change" in cells:
            changes = True
        elif not line.startswith("|"):
            changes = False
        elif changes and not line.startswith("|--"):
            yield cells


def test_every_alert_has_a_page_and_every_page_an_alert() -> None:
    assert set(PAGES) == {alert.lower() for alert in ALERTS}


@each_page
def test_page_has_its_parts_and_names_what_exists(name: str) -> None:
    page = PAGES[name]
    title = page.splitlines()[0].removeprefix("# ")
    assert title in ALERTS
    assert title.lower() == name
    assert re.findall(r"^## (.+)$", page, re.MULTILINE) == PARTS
    assert set(RAW_NAME.findall(page)) <= set(BY_NAME)
    assert set(RECORDED_NAME.findall(page)) <= RECORDED
    assert set(ALERT.findall(page)) <= ALERTS
    assert re.search(r"^    \S", page.partition("## Diagnosis")[2], re.MULTILINE), "no query"


@each_page
def test_flags_are_sglangs_own(name: str) -> None:
    flags = {flag.rstrip(".") for flag in FLAG.findall(PAGES[name])} - NO_FLAGS_OF_SGLANG
    assert {flag.replace("-", "_") for flag in flags if "." not in flag} <= arguments()


@each_page
def test_a_flag_is_named_with_direction_and_cost(name: str) -> None:
    for row in table_rows(PAGES[name]):
        if any(FLAG.search(cell) for cell in row):
            assert row[-1], row


def test_pages_name_every_threshold_and_no_other() -> None:
    said = {key for page in PAGES.values() for key in SETTABLE.findall(re.sub(r"\s+", " ", page))}
    assert said == set(Thresholds.__struct_fields__)


def test_the_page_on_the_cross_check_names_what_exists() -> None:
    page = (SHIPPED / "cross-check.md").read_text()
    assert set(RAW_NAME.findall(page)) <= set(BY_NAME)
    assert set(RECORDED_NAME.findall(page)) <= RECORDED
