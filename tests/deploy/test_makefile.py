"""The commands that README and CI name are targets of the Makefile."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = ["README.md", "deploy/README.md", ".ci/run"]


def make(*arguments: str) -> str:
    """Return what make prints."""
    return subprocess.run(["make", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_that_a_document_gives_are_targets(document: str) -> None:
    commands = re.findall(
        r"(?:^ *|`)make ([a-z]+)(?:$|`| +#)", (ROOT / document).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert commands
    assert set(commands) <= set(re.findall(r"^  make ([a-z]+) ", make(), re.MULTILINE))


def test_ci_runs_the_tests() -> None:
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").endswith("\nmake test\n")
    assert (ROOT / ".ci/run").stat().st_mode & 0o111


def test_make_test_ends_with_pytest_after_all_checks() -> None:
    commands = re.findall(
        r"^(?:PYTHONPATH=tests )?\.venv/bin/(.*)", make("--dry-run", "--assume-old=.venv/ready", "test"), re.MULTILINE
    )
    *checks, tests = commands[-6:]
    assert checks == [
        "ruff check",
        "ruff format --check",
        "mypy",
        "bandit --quiet --recursive exporter deploy grafana",
        "python -m support.advisories requirements.lock",
    ]
    assert tests.startswith("pytest")


def test_what_is_installed_for_it_is_checked_by_hash() -> None:
    made = make("--dry-run", "--always-make", ".venv/ready")
    installed = re.findall(r"^\.venv/bin/pip install (.*)", made, re.MULTILINE)
    assert installed == [
        "--quiet --require-hashes -r requirements-dev.lock",
        "--quiet --no-deps --no-build-isolation --editable .",
    ]
