"""Wrapped logs: the page is the one that the bare log gives, but for the engine, which Ray tells of."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sglang_exporter.serverlog.decoder import LogDecoder
from support.folding import page_of
from support.servers import Samples
from support.wrapping import WRAPPERS, Lines, cri, docker

LINES = Path(__file__).parent / "lines"
RELEASES = sorted(path.stem for path in LINES.glob("*.log"))

# A wrapper by its name, or a container runtime that cuts lines into pieces of these sizes.
Wrapper = str | tuple[str, list[int]]
SIZES = st.lists(st.integers(20, 2000), min_size=1, max_size=5)
WRAPS = st.sampled_from(sorted(WRAPPERS)) | st.tuples(st.sampled_from(["docker", "cri"]), SIZES)


def bare(release: str) -> Lines:
    return (LINES / f"{release}.log").read_bytes().splitlines()


def wrap(wrapper: Wrapper, lines: Iterable[bytes]) -> Lines:
    if isinstance(wrapper, str):
        return WRAPPERS[wrapper](lines)
    runtime, sizes = wrapper
    return (docker if runtime == "docker" else cri)(lines, sizes)


def page(lines: Iterable[bytes]) -> Samples:
    """Return all that a log says at its end, without the label that tells engines apart."""
    decoder = LogDecoder({}, {})
    said = page_of(event for line in lines for event in decoder.decode(line))
    return {
        (name, tuple(label for label in labels if label[0] != "engine")): value
        for (name, labels), value in said.items()
    }


@cache
def bare_page(release: str) -> Samples:
    return page(bare(release))


@pytest.mark.parametrize("release", RELEASES)
def test_a_bare_log_says_something(release: str) -> None:
    names = {name for name, _ in bare_page(release)}
    assert {"sglang_server_gen_throughput_tokens_per_second", "sglang_server_prefill_tokens_total"} <= names


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("name", WRAPPERS)
def test_a_wrapped_log_gives_the_values_of_the_bare_one(name: str, release: str) -> None:
    assert page(WRAPPERS[name](bare(release))) == bare_page(release)


@settings(deadline=None)
@given(st.sampled_from(RELEASES), WRAPS, WRAPS)
def test_a_wrapper_in_a_wrapper_gives_the_values_of_the_bare_log(release: str, outer: Wrapper, inner: Wrapper) -> None:
    assert page(wrap(outer, wrap(inner, bare(release)))) == bare_page(release)
