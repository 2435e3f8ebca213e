"""Labels keep the samples of their series, and never a value that has changed."""

from prometheus_client.samples import Sample

from sglang_exporter.metrics.labels import Labels, known

NAME = "sglang_server_errors_total"


def test_a_sample_is_kept_until_its_value_changes() -> None:
    labels = Labels({"server": "a"})
    first = labels.sample(NAME, 1, {"kind": "nan"})
    assert labels.sample(NAME, 1.0, {"kind": "nan"}) is first
    assert labels.sample(NAME, 2, {"kind": "nan"}) == Sample(NAME, {"server": "a", "kind": "nan"}, 2)
    assert first.value == 1
    assert labels.sample(NAME, 1, {"kind": "nan"}).value == 1


def test_series_are_told_apart_by_name_and_labels() -> None:
    labels = Labels({"server": "a"})
    found = [
        labels.sample(NAME, 1, {"kind": "nan"}),
        labels.sample(NAME, 1, {"kind": "nccl"}),
        labels.sample("sglang_server_starts_total", 1, {}),
        labels.within(engine="0").sample(NAME, 1, {"kind": "nan"}),
        labels.within(engine="1").sample(NAME, 1, {"kind": "nan"}),
        labels.within(engine="").sample(NAME, 2, {"kind": "nan"}),
    ]
    assert [sample.labels for sample in found] == [
        {"server": "a", "kind": "nan"},
        {"server": "a", "kind": "nccl"},
        {"server": "a"},
        {"server": "a", "engine": "0", "kind": "nan"},
        {"server": "a", "engine": "1", "kind": "nan"},
        {"server": "a", "kind": "nan"},
    ]
    assert found[0].value == 1


def test_labels_that_are_asked_for_again_are_the_same() -> None:
    labels = Labels({"server": "a"})
    assert labels.within(engine="0").within(dp_rank="1") is labels.within(engine="0").within(dp_rank="1")


def test_what_is_gone_is_forgotten() -> None:
    before = known("server", ["a", "b"], {})
    after = known("server", ["b", "c"], before)
    assert list(after) == ["b", "c"]
    assert after["b"] is before["b"]
    assert known("server", ["a"], after)["a"] is not before["a"]
