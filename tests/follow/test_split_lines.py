"""Blocks cut into lines, however long these are."""

from hypothesis import given
from hypothesis import strategies as st

from sglang_exporter.follow.splitting import split_lines


@given(st.lists(st.integers(0, 3000) | st.integers(0, 90), max_size=30), st.integers(0, 2))
def test_lines_are_those_of_split(lengths: list[int], ends: int) -> None:
    block = b"\n".join(b"x" * length for length in lengths) + b"\n" * ends
    assert split_lines(block) == block.split(b"\n")
