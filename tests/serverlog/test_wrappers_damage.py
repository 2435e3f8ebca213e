"""Damaged logs: nothing raises, and nothing is put together across a hole."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sglang_exporter.serverlog.wrappers import Unwrapped, Unwrapper
from support.wrapping import WRAPPERS, docker

LINE = b"[2025-06-06 08:08:17 TP0] Decode batch, #running-req: 163, #token: 12345, #queue-req: 0"
LABELS = [wrap([b""])[0] for wrap in WRAPPERS.values()]


@given(st.lists(st.binary(max_size=60) | st.sampled_from([*LABELS, LINE, b"\r", b"\0", b'{"log":"', b"\\ud800"])))
def test_random_bytes_never_raise(parts: list[bytes]) -> None:
    unwrapper = Unwrapper({})
    unwrapper.feed(b"".join(parts))
    for part in parts:
        unwrapper.feed(part)
    unwrapper.flush()


@given(st.sampled_from(sorted(WRAPPERS)), st.data())
def test_a_changed_byte_never_raises(name: str, data: st.DataObject) -> None:
    line = WRAPPERS[name]([LINE])[-1]
    at = data.draw(st.integers(0, len(line) - 1))
    unwrapper = Unwrapper({})
    unwrapper.feed(line[:at] + data.draw(st.binary(max_size=3)) + line[at + 1 :])
    unwrapper.flush()


@pytest.mark.parametrize("name", WRAPPERS)
@pytest.mark.parametrize("torn", [LINE[:70], docker([LINE])[0][:80], b"text"])
def test_what_stands_before_a_hole_is_torn(name: str, torn: bytes) -> None:
    dropped: dict[str, int] = {}
    wrapped = WRAPPERS[name]([LINE])
    wrapped[0] = torn + bytes(100) + wrapped[0]
    unwrapper = Unwrapper(dropped)
    lines = [unwrapped.text for line in wrapped for unwrapped in unwrapper.feed(line)]
    assert lines == [LINE]
    assert dropped == {"torn_line": 1}


def test_a_number_is_not_put_together_across_a_hole() -> None:
    assert Unwrapper({}).feed(LINE[:70] + bytes(3) + LINE[70:]) == [Unwrapped(LINE[70:])]


def test_a_hole_at_the_end_is_no_text() -> None:
    assert Unwrapper({}).feed(LINE + bytes(100)) == [Unwrapped(LINE)]
    assert Unwrapper({}).feed(bytes(100)) == [Unwrapped(b"")]


def test_bytes_that_are_no_utf8_in_a_docker_log_are_replaced() -> None:
    (wrapped,) = docker([LINE])
    (unwrapped,) = Unwrapper({}).feed(wrapped.replace(b"TP0", b"TP\xff"))
    assert unwrapped.text == LINE.replace(b"TP0", "TP\ufffd".encode())


def test_wrappers_without_end_are_left() -> None:
    (unwrapped,) = Unwrapper({}).feed(b"0: " * 1000)
    assert unwrapped.text == b"0: " * 992
