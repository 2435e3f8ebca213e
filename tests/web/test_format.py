"""A page of kept lines is to the byte the one that prometheus_client makes of all of them."""

from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.exposition import choose_encoder
from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Sample

from sglang_exporter.web.format import Format

FORMATS = [
    "text/plain;version=0.0.4",
    "text/plain;version=1.0.0;escaping=allow-utf-8",
    "application/openmetrics-text;version=1.0.0",
    "application/openmetrics-text;version=1.0.0;escaping=values",
]
TYPES = {"a": "gauge", "a_b": "counter", "c": "histogram"}
TEXTS = st.sampled_from(["", "x", 'say "no"\n', "\\", "\r", "a\u2028b", "ü{}=,"])
VALUES = st.sampled_from([0, 1, 1.0, True, 2.5, 1e9, 2**60, float("inf"), float("nan")])


def family(name: str, *said: tuple[str, float], text: str = "What it is.\n") -> Metric:
    made = Metric(name, text, TYPES[name])
    suffix = {"gauge": "", "counter": "_total", "histogram": "_bucket"}[made.type]
    made.samples = [Sample(f"{name}{suffix}", {"server": label, "le": "1"}, value) for label, value in said]
    return made


class Made:
    """A collector of what it was last given."""

    def __init__(self, families: Sequence[Metric] = ()) -> None:
        self.families = families

    def collect(self) -> Iterable[Metric]:
        return self.families


FAMILIES = st.lists(
    st.builds(
        lambda name, said, text: family(name, *said, text=text),
        st.sampled_from(list(TYPES)),
        st.lists(st.tuples(TEXTS, VALUES), max_size=4),
        st.sampled_from(["Help.", "Other help."]),
    ),
    unique_by=lambda made: made.name,
)


@pytest.mark.parametrize("accept", FORMATS)
@given(pages=st.lists(FAMILIES, max_size=5))
def test_pages_one_after_the_other_are_those_of_prometheus_client(accept: str, pages: list[list[Metric]]) -> None:
    encode, _ = choose_encoder(accept)
    form = Format(encode)
    for families in pages:
        assert form.page(Made(families)) == encode(Made(families))


def test_only_what_has_changed_is_formatted_again() -> None:
    encode, _ = choose_encoder(FORMATS[0])
    handed: list[Sample] = []

    def spy(collector: Made) -> bytes:
        handed.extend(sample for made in collector.collect() for sample in made.samples)
        return encode(collector)

    form = Format(spy)  # type: ignore[arg-type]
    form.page(Made([family("a", ("x", 1), ("y", 2)), family("a_b", ("x", 3))]))
    handed.clear()
    form.page(Made([family("a", ("x", 1), ("y", 2)), family("a_b", ("x", 3))]))
    assert handed == []
    form.page(Made([family("a", ("x", 1), ("y", 5)), family("a_b", ("x", 3))]))
    assert [sample.value for sample in handed] == [5]


def test_a_value_that_comes_back_is_formatted_as_it_is_now() -> None:
    encode, _ = choose_encoder(FORMATS[0])
    form = Format(encode)
    pages = [form.page(Made([family("a", ("x", value))])) for value in (1, 2, 1)]
    assert [page.splitlines()[-1] for page in pages] == [
        b'a{le="1",server="x"} %s' % n for n in (b"1.0", b"2.0", b"1.0")
    ]
