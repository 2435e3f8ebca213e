import math

import pytest

from sglang_exporter.serverlog.events import Value
from sglang_exporter.serverlog.values import DamagedError, number, number_or_text


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("163", 163),
        ("-1", -1),
        ("0.39", 0.39),
        ("49.94%", 49.94),
        ("True", True),
        ("None", None),
        ("6.67 GB", 6.67),
        ("34.25 s", 34.25),
        ("0.4650 -> 0.7664", {"old": 0.465, "new": 0.7664}),
        ("2.52 [2.11, 2.93]", {"mid": 2.52, "lo": 2.11, "hi": 2.93}),
    ],
)
def test_printed_values(text: str, value: Value) -> None:
    assert number(text) == value


def test_not_a_number() -> None:
    assert math.isnan(number("nan%"))  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["", "2[2026-01-04", "1.2.3", "12 TB", "-> 0.5", "0x10", "1_000", "١٢"])
def test_damage(text: str) -> None:
    with pytest.raises(DamagedError):
        number(text)
    assert number_or_text(text) == text
