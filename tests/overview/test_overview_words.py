"""Numbers, sizes and times in words, odd ones too."""

from math import inf, nan

import pytest

from sglang_exporter.overview.words import ago, amount, moment, percent, size, span

NOW = 1_795_946_400.0


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0"),
        (0.3081, "0.308"),
        (7.0, "7"),
        (46.52, "46.5"),
        (1348.4, "1,348"),
        (376_029.0, "376,029"),
        (9_999_999.0, "9,999,999"),
        (12_345_678.0, "12.3 M"),
        (45.6e9, "45.6 G"),
        (2e15, "2.00e+15"),
        (-3.0, "-3"),
        (inf, "∞"),
        (-inf, "-∞"),
        (nan, "not a number"),
    ],
)
def test_amount(value: float, words: str) -> None:
    assert amount(value) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0.0, "0 B"),
        (999.0, "999 B"),
        (624_000.0, "624 kB"),
        (1.24e6, "1.24 MB"),
        (5e9, "5 GB"),
        (nan, "not a number B"),
    ],
)
def test_size(value: float, words: str) -> None:
    assert size(value) == words


@pytest.mark.parametrize(("value", "words"), [(0.754, "75 %"), (1.0, "100 %"), (nan, "not a number %"), (inf, "∞ %")])
def test_percent(value: float, words: str) -> None:
    assert percent(value) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (-5.0, "0 s"),
        (90.0, "90 s"),
        (6000.0, "100 min"),
        (437_400.0, "5.1 days"),
        (1e12, "more than a century"),
        (nan, "more than a century"),
    ],
)
def test_span(seconds: float, words: str) -> None:
    assert span(seconds) == words


def test_moments() -> None:
    assert ago(NOW - 61, NOW) == "61 s ago"
    assert ago(NOW + 3600, NOW) == "0 s ago"
    assert moment(NOW + 3600, NOW) == "11:00"
    assert moment(NOW + 86_400, NOW) == "2026-11-30 10:00"
    assert moment(1e300, NOW) == moment(nan, NOW) == "at no time that a calendar has"
