"""promtool and amtool have nothing to say against what is shipped in prometheus/."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml

from support.prometheus import binary

SHIPPED = Path(__file__).parents[2] / "prometheus"
RULES = sorted(SHIPPED.glob("rules/*.yml"))
CASES = sorted(SHIPPED.glob("tests/*.yml"))

pytestmark = pytest.mark.prometheus


def output_of(name: str, *arguments: str | Path) -> str:
    """Return all that the program printed; fail with it when the program found fault."""
    done = subprocess.run([binary(name), *arguments], capture_output=True, text=True, cwd=SHIPPED, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("path", [*RULES, *SHIPPED.glob("examples/*.yml")], ids=lambda path: path.name)
def test_rules_are_valid(path: Path) -> None:
    assert "SUCCESS" in output_of("promtool", "check", "rules", "--lint-fatal", path)


def test_prometheus_configuration_is_valid_and_finds_every_rule_file() -> None:
    assert f"{len(RULES)} rule files found" in output_of("promtool", "check", "config", "prometheus.yml")


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.name)
def test_rules_do_what_their_cases_say(path: Path) -> None:
    assert "SUCCESS" in output_of("promtool", "test", "rules", path)


def test_alertmanager_configuration_is_valid_and_finds_its_template() -> None:
    assert "1 templates" in output_of("amtool", "check-config", "alertmanager.yml")


def test_queries_of_the_pages_are_valid(tmp_path: Path) -> None:
    queries = [query for page in SHIPPED.glob("**/*.md") for query in indented_lines(page.read_text())]
    rules = [{"record": f"query:{number}", "expr": query} for number, query in enumerate(queries)]
    path = tmp_path / "queries.yml"
    path.write_text(yaml.safe_dump({"groups": [{"name": "runbooks", "rules": rules}]}))
    assert f"{len(queries)} rules found" in output_of("promtool", "check", "rules", path)


def indented_lines(page: str) -> list[str]:
    """Return the indented lines of a page; one that is indented further goes on with the line before."""
    return [line.strip() for line in re.sub(r"\n {6}", " ", page).split("\n") if line.startswith("    ")]
