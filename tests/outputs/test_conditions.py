from typing import Any

import pytest
from msgspec import Raw

from sglang_exporter.outputs.conditions import compile_condition, holds
from sglang_exporter.outputs.steps import SchemeError

RECORD: dict[str, Any] = {
    "text": "x",
    "empty": "",
    "null": None,
    "undecoded_null": Raw(b"null"),
    "undecoded": Raw(b'"nullify"'),
    "zero": 0,
    "yes": True,
    "no": False,
    "status": "failed",
    "code": 429,
    "code_text": "503",
    "items": [{"error": "a"}, {"error": ""}, {"error": "b"}, {}],
}


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("text", True),
        ("empty", False),
        ("null", False),
        ("zero", False),
        ("absent", False),
        ("!text", False),
        ("!zero", False),
        ("!null", True),
        ("!absent", True),
        ("!undecoded_null", True),
        ("!undecoded", False),
        ("has(null)", True),
        ("has(absent)", False),
        ("null(null)", True),
        ("null(undecoded_null)", True),
        ("null(undecoded)", False),
        ("null(absent)", False),
        ("null(zero)", False),
        ("status = failed", True),
        ("status = error|failed", True),
        ("status = error", False),
        ("absent = failed", False),
        ("no = false", True),
        ("yes = true", True),
        ("zero = false", False),
        ("code = 429", True),
        ("status != ok|done", True),
        ("status != failed", False),
        ("absent != failed", True),
        ("code >= 400", True),
        ("code >= 430", False),
        ("code_text >= 500", True),
        ("status >= 400", False),
        ("absent >= 400", False),
        ("yes >= 1", False),
        ("absent|text", True),
        ("absent|has(absent)|null(text)", False),
        ("absent|status = error|failed", True),
        ("status = error|ok|code >= 400", True),
        ("items[error=a|z]", True),
        ("items[error=y|z]", False),
        ("items[].error = a|z", True),
        ("absent[]", False),
    ],
)
def test_condition_holds(condition: str, *, wanted: bool) -> None:
    assert holds(RECORD, compile_condition(condition)) is wanted


def test_hits_through_a_list_are_counted_one_by_one() -> None:
    (condition,) = compile_condition("items[].error")
    assert condition.hits(RECORD) == ["a", "b"]


@pytest.mark.parametrize("text", ["", "has(a..c)", "code >= many", "code >= 400|500", "a|"])
def test_no_condition(text: str) -> None:
    with pytest.raises(SchemeError, match=r"not a (path|condition)"):
        compile_condition(text)
