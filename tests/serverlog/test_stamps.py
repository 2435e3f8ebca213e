"""Printed times: local, without a zone, sometimes without a date."""

import pytest

from sglang_exporter.serverlog.stamps import Zone, parse_zone, printed_seconds, since

NOON_UTC = 1780315200.0  # 2026-06-01 12:00:00 UTC


def test_the_zone_is_the_distance_of_the_last_line_from_the_last_change() -> None:
    zone = Zone()
    zone.learn("2026-06-01T20:00:00", NOON_UTC + 0.7)
    assert zone.epoch("2026-06-01T19:59:00", NOON_UTC) == NOON_UTC - 60


def test_a_distance_that_is_no_quarter_hour_is_no_zone() -> None:
    zone = Zone("UTC")
    unsure = Zone()
    unsure.learn("2026-06-01T20:03:00", NOON_UTC)
    zone.learn("2026-06-01T20:00:00", NOON_UTC)
    assert zone.epoch("2026-06-01T11:00:00", NOON_UTC) == NOON_UTC - 3600
    assert unsure.epoch("2026-06-01T11:00:00", NOON_UTC) == Zone().epoch("2026-06-01T11:00:00", NOON_UTC)


def test_the_configured_zone_goes_before_the_distance() -> None:
    zone = Zone("Europe/Berlin")
    zone.learn("2026-06-01T20:00:00", NOON_UTC)
    assert zone.epoch("2026-06-01T13:00:00", NOON_UTC) == NOON_UTC - 3600


def test_nothing_is_newer_than_the_file() -> None:
    assert Zone("UTC").epoch("2026-06-01T13:00:00", NOON_UTC) == NOON_UTC


def test_a_time_without_a_date_is_the_last_one_before_the_file_changed() -> None:
    zone = Zone("UTC")
    assert zone.epoch("11:59:00", NOON_UTC) == NOON_UTC - 60
    assert zone.epoch("12:00:01", NOON_UTC) == NOON_UTC - 86400 + 1


def test_a_difference_over_midnight() -> None:
    assert since(printed_seconds("23:59:50"), printed_seconds("00:00:10")) == 20
    assert since(printed_seconds("2026-06-01T00:00:10"), printed_seconds("2026-06-01T00:00:05")) == -5


def test_milliseconds() -> None:
    assert printed_seconds("2026-06-01T12:00:00.250") == NOON_UTC + 0.25


@pytest.mark.parametrize("name", ["Nowhere/City", "+99:00", "+x", "../etc/passwd"])
def test_an_unknown_zone_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"zone|offset|Invalid"):
        parse_zone(name)
