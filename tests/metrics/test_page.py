"""A page is held to the catalogue."""

import pytest

from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page


def test_a_metric_that_is_not_in_the_catalogue_is_refused() -> None:
    with pytest.raises(KeyError):
        Page().add("sglang_server_speed", Labels({}), 1)


def test_labels_without_a_value_are_left_out() -> None:
    page = Page()
    page.add("sglang_server_running_requests", Labels({"server": "a", "engine": ""}), 3, dp_rank="0", pool="")
    (family,) = page.families()
    assert [(s.name, s.labels, s.value) for s in family.samples] == [
        ("sglang_server_running_requests", {"server": "a", "dp_rank": "0"}, 3)
    ]


def test_buckets_are_cumulated() -> None:
    page = Page()
    labels = Labels({"dataset": "d"})
    page.add_histogram("sglang_job_completion_tokens", labels, (64.0, 128.0), [1, 2, 3], 1000.0)
    (family,) = page.families()
    assert [(s.name.rpartition("_")[2], s.labels.get("le"), s.value) for s in family.samples] == [
        ("bucket", "64", 1),
        ("bucket", "128", 3),
        ("bucket", "+Inf", 6),
        ("count", None, 6),
        ("sum", None, 1000.0),
    ]
