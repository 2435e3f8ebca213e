"""Every wrapper, alone and in another, gives back the lines that SGLang printed."""

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglang_exporter.serverlog.wrappers import Unwrapper
from support.wrapping import WRAPPERS, cri, docker

LINES = Path(__file__).parent / "lines"
RELEASES = sorted(path.stem for path in LINES.glob("*.log"))

# A wrapper by its name; what a container runtime cuts, it cuts anywhere.
Wrapper = str | tuple[str, list[int]]
NAMES = st.sampled_from([name for name in WRAPPERS if name not in ("docker", "cri")])
SIZES = st.lists(st.integers(20, 2000), min_size=1, max_size=5)
WRAPS = st.one_of(NAMES, st.tuples(st.sampled_from(["docker", "cri"]), SIZES))


def bare_lines(release: str) -> list[bytes]:
    return (LINES / f"{release}.log").read_bytes().splitlines()


SOME_LINES = [line for release in RELEASES for line in bare_lines(release)]
SHORT_LINES = [line for line in SOME_LINES if len(line) < 400]


def unwrap(lines: Iterable[bytes]) -> list[bytes]:
    dropped: dict[str, int] = {}
    unwrapper = Unwrapper(dropped)
    texts = [text for line in lines for text, _, _ in unwrapper.feed(line)]
    assert not unwrapper.flush()
    assert not dropped
    return texts


def wrap(wrapper: Wrapper, lines: list[bytes]) -> list[bytes]:
    if isinstance(wrapper, str):
        return WRAPPERS[wrapper](lines)
    runtime, sizes = wrapper
    return (docker if runtime == "docker" else cri)(lines, sizes)


@pytest.mark.parametrize("release", RELEASES)
def test_bare_lines_stay_as_they_are(release: str) -> None:
    assert unwrap(bare_lines(release)) == bare_lines(release)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapped_log_gives_the_bare_lines(name: str, release: str) -> None:
    wrapped = WRAPPERS[name](bare_lines(release))
    assert wrapped != bare_lines(release)
    assert unwrap(wrapped) == bare_lines(release)


@settings(deadline=None)
@given(WRAPS, WRAPS, st.lists(st.sampled_from(SOME_LINES), min_size=1, max_size=6))
def test_a_wrapper_in_a_wrapper_gives_the_bare_lines(outer: Wrapper, inner: Wrapper, lines: list[bytes]) -> None:
    assert unwrap(wrap(outer, wrap(inner, lines))) == lines


@settings(deadline=None)
@given(st.tuples(WRAPS, WRAPS, WRAPS), st.lists(st.sampled_from(SHORT_LINES), min_size=1, max_size=3))
def test_three_wrappers_give_the_bare_lines(wrappers: tuple[Wrapper, ...], lines: list[bytes]) -> None:
    wrapped = lines
    for wrapper in wrappers:
        wrapped = wrap(wrapper, wrapped)
    assert unwrap(wrapped) == lines


@pytest.mark.parametrize("name", [name for name in WRAPPERS if name != "docker"])
def test_bytes_that_are_no_utf8_stay_bytes(name: str) -> None:
    lines = [b"[2025-06-06 08:08:17 TP0] \xff\xfe\x80 caf\xe9", b"\xe4\xb8", "[2025-06-06 08:08:18] 你好".encode()]
    assert unwrap(WRAPPERS[name](lines)) == lines


@pytest.mark.parametrize("name", [name for name in WRAPPERS if name != "docker"])
def test_blank_lines_and_indented_lines_stay(name: str) -> None:
    lines = [b"Traceback (most recent call last):", b'  File "x.py", line 1, in f', b"", b"    ", b"x "]
    assert unwrap(WRAPPERS[name](lines)) == lines


@pytest.mark.parametrize("label", [name for name in WRAPPERS if WRAPPERS[name]([b"x"])[0].endswith(b" x")])
def test_an_empty_message_may_have_lost_its_blank(label: str) -> None:
    (empty,) = WRAPPERS[label]([b""])
    assert unwrap([empty.rstrip(b" ")]) == [b""]


def test_escape_sequences_anywhere_in_a_line_go() -> None:
    line = b"\x1b[2K\x1b[1G[2025-06-06 08:08:17] \x1b[32mINFO\x1b[0m:     ^[[1m10.0.0.7^[[0m:1 - \x1b(B\x1b[mok\x1b[38;5;9m"
    assert unwrap([line]) == [b"[2025-06-06 08:08:17] INFO:     10.0.0.7:1 - ok"]


def test_a_carriage_return_ends_a_line() -> None:
    bar, line = b"Loading: 100%|####| 1/1 [00:00<00:00]", SOME_LINES[0]
    (in_ray,) = WRAPPERS["ray"]([line])
    assert unwrap([bar + b"\r" + bar + b"\r" + line]) == [bar, bar, line]
    assert unwrap([bar + b"\r" + in_ray]) == [bar, line]
    assert unwrap(docker([b"\r" + bar + b"\r" + line], sizes=[50])) == [bar, line]


def test_wrappers_may_change_within_a_log() -> None:
    wrapped = [wrapped for name in WRAPPERS for wrapped in WRAPPERS[name](SOME_LINES[:1])]
    assert unwrap(wrapped) == SOME_LINES[:1] * len(WRAPPERS)
