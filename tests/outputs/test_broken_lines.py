"""Bytes that no format promises: what crashes, resumed runs, loggers and stream clients leave in a file."""

import json

import pytest

from sglang_exporter.outputs.decode import LineDecoder

GOOD = {"id": 1, "usage": {"completion_tokens": 5}}
OTHER = {"id": 2, "response": {"id": 3, "text": "a } { b"}}
ONE, TWO = (json.dumps(record).encode() for record in (GOOD, OTHER))
TORN = TWO[:-12]


def decode(*lines: bytes) -> tuple[list[dict[str, object]], int]:
    decoder = LineDecoder()
    decoded = [decoder.decode(line) for line in lines]
    return [item for each in decoded for item in each.objects], sum(each.malformed for each in decoded)


@pytest.mark.parametrize(
    "line",
    [
        ONE,
        ONE + b"\r",
        b"  " + ONE + b" ",
        b"\xef\xbb\xbf" + ONE,
        b"\0\0\0" + ONE + b"\0",
        b"data: " + ONE,
        b"data:" + ONE,
        b"[2026-11-29 15:00:00] " + ONE,
        b"INFO {worker 3} " + ONE,
        ONE + b",",
        b"[" + ONE + b"]",
    ],
)
def test_one_record_whatever_is_around_it(line: bytes) -> None:
    assert decode(line) == ([GOOD], 0)


@pytest.mark.parametrize(
    "line", [ONE + TWO, ONE + b" " + TWO, b"[" + ONE + b", " + TWO + b"]", b"\0" + ONE + b"\0\0" + TWO]
)
def test_several_records_on_one_line(line: bytes) -> None:
    assert decode(line) == ([GOOD, OTHER], 0)


@pytest.mark.parametrize(
    "line",
    [b"", b" \t\r", b"\0\0\0", b"\xef\xbb\xbf", b"data: [DONE]", b"[DONE]", b": keep-alive", b"event: message", b"[]"],
)
def test_nothing_on_a_line(line: bytes) -> None:
    assert decode(line) == ([], 0)


@pytest.mark.parametrize(
    "line",
    [
        b"Traceback (most recent call last):",
        b"42",
        b"null",
        b'"text"',
        b'["a", "b"]',
        TORN,
        b"{",
        b'..."}',
        b"\xff\xfe",
    ],
)
def test_a_line_without_any_record_is_malformed(line: bytes) -> None:
    assert decode(line) == ([], 1)


@pytest.mark.parametrize("before", [(ONE,), ()], ids=["opener known", "torn first line"])
def test_a_record_glued_to_a_torn_one_is_read(before: tuple[bytes, ...]) -> None:
    records, malformed = decode(*before, TORN + ONE)
    assert records == [GOOD] * (len(before) + 1)
    assert malformed == 1


def test_objects_inside_a_torn_record_are_no_records() -> None:
    torn = b'{"id": 7, "usage": {"id": 8}, "messages": [{"id": 9, "x'
    assert decode(ONE, torn + ONE + TWO) == ([GOOD, GOOD, OTHER], 1)


def test_the_end_of_a_torn_record_is_no_record() -> None:
    assert decode(ONE, b'ly", "usage": {"completion_tokens": 99}}') == ([GOOD], 1)


def test_a_record_after_which_the_line_is_torn_is_read() -> None:
    assert decode(ONE + TORN) == ([GOOD], 1)


def test_records_that_begin_otherwise_behind_a_prefix() -> None:
    assert decode(ONE, b'[15:00] {"error": NaN}')[1] == 0


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (b'{"x": NaN, "y": 1}', 1),
        (b'{"x": [-Infinity, 1e400], "y": 1}', 1),
        (b'{"x": "\\ud800 alone", "y": 1}', 1),
        (b'{"x": "a\ttab", "y": 1}', 1),
        (b'{"x": "not \xff utf-8", "y": 1}', 1),
        (b'{"x": "cut \xe4\xb8", "y": 1}', 1),
        (b'{"y": 123456789012345678901234567890}', 123456789012345678901234567890),
        (b'{"y": 0, "y": 1}', 1),
    ],
)
def test_what_a_strict_reader_refuses_gets_a_second_chance(line: bytes, field: object) -> None:
    (record,), malformed = decode(line)
    assert record["y"] == field
    assert malformed == 0


@pytest.mark.parametrize("line", [b'{"a":' * 5000, b"[" * 5000 + b"]" * 5000, b'{"x": ' + b"9" * 5000 + b"}"])
def test_absurd_json_is_malformed_and_no_crash(line: bytes) -> None:
    assert decode(line) == ([], 1)


def test_a_line_of_many_torn_beginnings_does_not_take_for_ever() -> None:
    assert decode(ONE, b'{"id": ["' * 20_000) == ([GOOD], 1)
