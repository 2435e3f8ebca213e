from typing import Any

import pytest
from msgspec import UNSET

from sglang_exporter.outputs.paths import compile_path
from sglang_exporter.outputs.steps import SchemeError

RECORD: dict[str, Any] = {
    "a": {"b": {"c": 7}},
    "null": None,
    "list": [{"x": 1}, {"x": None}, {"y": 2}, "text"],
    "nested": [{"turns": ["s", "t"]}, {"other": 1}, {"turns": ["u"]}],
    "turns": [{"role": "user", "text": "q"}, {"role": "assistant", "text": "r"}, {"role": "model", "text": "s"}],
    "chosen": [{"done": "stop"}, {"done": None}, {}],
    "stats_one": {"n": 3},
    "stats_two": {"n": 4},
    "rows": 6,
    "width": "8",
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("a.b.c", 7),
        ("a.b", {"c": 7}),
        ("null", None),
        ("absent", UNSET),
        ("a.absent.c", UNSET),
        ("null.c", UNSET),
        ("list.x", UNSET),
        ("list[0].x", 1),
        ("list[-1]", "text"),
        ("list[9]", UNSET),
        ("rows[0]", UNSET),
        ("list[].x", [1, None, UNSET, UNSET]),
        ("nested[].turns[]", ["s", "t", "u"]),
        ("rows[].x", UNSET),
        ("turns[role=assistant]", [RECORD["turns"][1]]),
        ("turns[role=assistant|model].text", ["r", "s"]),
        ("turns[role=system]", []),
        ("chosen[done].done", ["stop"]),
        ("stats_*.n", [3, 4]),
        ("absent_*.n", []),
        ("a.*", [{"c": 7}]),
        ("len(list)", 4),
        ("len(rows)", UNSET),
        ("mul(rows,width)", 48),
        ("mul(rows,absent)", UNSET),
    ],
)
def test_path_leads_to(path: str, value: object) -> None:
    compiled = compile_path(path)
    assert compiled.get(RECORD) == value
    assert compiled.get("no object") is UNSET


@pytest.mark.parametrize(("path", "scale"), [("t", 1.0), ("t @ms", 1e-3), ("t @us", 1e-6), ("t @ns", 1e-9)])
def test_times_are_brought_to_seconds(path: str, scale: float) -> None:
    assert compile_path(path).scale == scale


@pytest.mark.parametrize(
    "text", ["", "a..b", "a.", ".a", "a[", "a]b", "a[0]b", "a.[0]", "t @h", "len(a,b)", "mul(a)", "len()", "a*b.c"]
)
def test_no_path(text: str) -> None:
    with pytest.raises(SchemeError, match="not a path"):
        compile_path(text)
