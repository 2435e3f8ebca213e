"""promtool and amtool have nothing to say against what is shipped in prometheus/."""

from pathlib import Path

import pytest
import yaml

from support.promtool import SHIPPED, indented_lines, output_of

RULES = sorted(SHIPPED.glob("rules/*.yml"))
CASES = sorted(SHIPPED.glob("tests/*.yml"))

pytestmark = pytest.mark.prometheus


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
