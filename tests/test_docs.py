"""docs/ says what the program does: its reference is made of the schema, and what it names is there."""

import re
from pathlib import Path

import pytest

from sglang_exporter.config_file import load_config
from sglang_exporter.metrics.catalogue import BY_NAME
from support.config_page import tables
from support.golden import Golden

ROOT = Path(__file__).parents[1]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "SECURITY.md"]
CONFIGURATION = ROOT / "docs/configuration.md"
_TABLES = re.compile(r"(?<=<!-- schema -->\n).*(?=<!-- /schema -->)", re.DOTALL)
_SUFFIX = re.compile(r"_(?:bucket|sum|count)$")


def names() -> set[str]:
    """Return the metrics, as what counters and histograms are on the page."""
    return {*BY_NAME, *(_SUFFIX.sub("", name) for name in BY_NAME)}


def test_the_reference_of_the_configuration_is_the_schema(golden: Golden) -> None:
    golden.check(CONFIGURATION, _TABLES.sub(lambda _: tables(), CONFIGURATION.read_text()))


def test_the_example_of_the_reference_is_a_configuration(tmp_path: Path) -> None:
    [example] = re.findall(r"```yaml\n(.*?)```", CONFIGURATION.read_text(), re.DOTALL)
    (tmp_path / "config.yaml").write_text(example)
    assert load_config(tmp_path / "config.yaml").servers


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_metric_that_a_page_names_is_one(page: Path) -> None:
    named = set(re.findall(r"(?<![:\w])(sglang_(?:server|job|exporter)_\w+[a-z])", page.read_text()))
    assert named <= names()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_link_and_path_of_a_page_leads_somewhere(page: Path) -> None:
    text = page.read_text()
    linked = [page.parent / link.partition("#")[0] for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    pattern = r"`((?:exporter|prometheus|grafana|deploy|tests|docs)/[\w./-]+)`"
    assert [path for path in [*linked, *map(ROOT.joinpath, re.findall(pattern, text))] if not path.exists()] == []


def test_every_page_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [page.name for page in PAGES if f"]({page.relative_to(ROOT)})" not in readme] == []
