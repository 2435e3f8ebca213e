"""Which coding a page comes in: what a peer refuses it does not get."""

import pytest

from sglang_exporter.web.encoding import wants_gzip


@pytest.mark.parametrize(
    "accept",
    [
        "gzip",
        "GZip",
        "x-gzip",
        "gzip, deflate, br, zstd",  # a browser's
        "deflate,\tgzip ; Q=0.001",
        "gzip;q=1.000",
        "gzip;q=1.",
        "*",
        "br;q=1, *;q=0.5",
        "gzip, *;q=0",
        "gzip, identity",
        "gzip;q=0.5, identity;q=0.5",
        "gzip;q=0.1, identity;q=0",
        "identity;q=0, *",
        "*;q=0.1, gzip;q=0.2",
    ],
)
def test_compressed(accept: str) -> None:
    assert wants_gzip(accept)


@pytest.mark.parametrize(
    "accept",
    [
        "",
        "identity",
        "br",
        "gzip;q=0",
        "gzip;q=0.0",
        "gzip; q=0.000, deflate",
        "x-gzip;q=0",
        "*;q=0",
        "gzip;q=0, *",
        "identity, *;q=0",
        "identity;q=1, gzip;q=0.5",
        "gzip;q=0.5, *;q=0.6",  # which stands for identity too
        "gzip;q=0, identity;q=0",  # neither: as it is, rather than 406
        "gzipped",
        "not gzip",
        ",, ;q=1",
    ],
)
def test_as_it_is(accept: str) -> None:
    assert not wants_gzip(accept)


@pytest.mark.parametrize("weight", ["q=", "q=2", "q=-1", "q=nan", "q=0.0001", "q=1.5", "level=9", "q=1;q=0", ""])
def test_an_entry_with_a_weight_that_is_none_says_nothing(weight: str) -> None:
    assert not wants_gzip(f"gzip;{weight}")
    assert wants_gzip(f"identity;{weight}, gzip;q=0.1")
