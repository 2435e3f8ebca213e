"""What `make test` makes of pip-audit's answer: an advisory fails it, and what could not be asked is said."""

import json
from typing import Any

import pytest

from support.advisories import verdict

WELL = {"name": "rich", "version": "15.0.0", "vulns": []}
BAD = {"name": "pyyaml", "version": "5.3", "vulns": [{"id": "PYSEC-2021-142", "fix_versions": ["5.4"], "aliases": []}]}
UNMENDED = {"name": "old", "version": "1", "vulns": [{"id": "PYSEC-2026-1", "fix_versions": [], "aliases": []}]}
UNKNOWN = {"name": "bcrypt", "skip_reason": "Dependency not found on PyPI and could not be audited: bcrypt (5.0.0)"}


def said(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


def test_none_known_is_0() -> None:
    assert verdict(said(WELL, WELL), "") == (0, "pip-audit: no advisory known of 2 packages")


def test_one_known_is_1_and_named_with_its_remedy() -> None:
    status, text = verdict(said(WELL, BAD, UNMENDED), "")
    assert status == 1
    assert text.splitlines() == [
        "pip-audit: 2 advisories known of 3 packages",
        "  pyyaml 5.3: PYSEC-2021-142, mended in 5.4",
        "  old 1: PYSEC-2026-1, mended in no version",
    ]


def test_what_the_database_does_not_have_is_named() -> None:
    assert verdict(said(WELL, UNKNOWN), "") == (0, "pip-audit: no advisory known of 1 packages; NOT AUDITED: bcrypt")
    assert verdict(said(BAD, UNKNOWN), "").status == 1


@pytest.mark.parametrize(
    ("output", "complaint", "why"),
    [
        ("", "Traceback ...\nConnectionError: refused\n", "ConnectionError: refused"),
        ("", "", "it said nothing"),
        (
            said(UNKNOWN, UNKNOWN),
            "No known vulnerabilities found\n",
            "the package index tells advisories of none of the 2",
        ),
    ],
)
def test_without_a_database_it_says_that_nothing_was_audited(output: str, complaint: str, why: str) -> None:
    status, text = verdict(output, complaint)
    assert status == 0
    assert text.startswith(f"pip-audit: NOTHING WAS AUDITED, for no database is at hand: {why}")
