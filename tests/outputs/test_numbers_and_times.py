from datetime import datetime
from math import inf, nan

import pytest
from msgspec import UNSET

from sglang_exporter.outputs.values import MOST_TOKENS, number, timestamp


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (7, 7),
        (0, 0),
        (7.5, 7.5),
        ("7", 7),
        (" 7.5 ", 7.5),
        ("1e3", 1000),
        (-1, None),
        ("-1", None),
        (nan, None),
        (inf, None),
        ("NaN", None),
        ("inf", None),
        (True, None),
        (None, None),
        (UNSET, None),
        ("seven", None),
        ("", None),
        ([7], None),
        (10**400, None),
        ("9" * 400, None),
    ],
)
def test_a_usable_number(value: object, wanted: float | None) -> None:
    assert number(value) == wanted
    assert type(number(value)) is type(wanted)


def test_no_request_has_so_many_tokens() -> None:
    assert number(10**12, MOST_TOKENS) == 10**12
    assert number(10**12 + 1, MOST_TOKENS) is None


@pytest.mark.parametrize(
    "value",
    [1795968002.5, 1795968002500, 1795968002500000, 1795968002500000000, "1795968002.5", "2026-11-29T16:00:02.5Z"],
)
def test_seconds_since_the_epoch_whatever_the_unit(value: object) -> None:
    assert timestamp(value) == pytest.approx(1795968002.5)


def test_a_unit_that_is_given_is_taken() -> None:
    assert timestamp(5000, 1e-3) == 5.0


@pytest.mark.parametrize("value", ["2026-11-29 16:00:02", "2026-11-29T16:00:02", "20261129-160002"])
def test_a_time_without_a_zone_is_the_hosts(value: str) -> None:
    assert timestamp(value) == datetime(2026, 11, 29, 16, 0, 2).astimezone().timestamp()


@pytest.mark.parametrize("value", [None, UNSET, "yesterday", -1, True, "0001-01-01T00:00:00"])
def test_no_time(value: object) -> None:
    assert timestamp(value) is None
