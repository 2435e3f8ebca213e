"""The samples of a data set."""

from typing import Literal

import pytest
from prometheus_client.metrics_core import Metric
from prometheus_client.samples import Sample

from sglang_exporter.config import JobConfig, TokensConfig
from sglang_exporter.metrics.catalogue.job import JOB
from sglang_exporter.metrics.job import export_job
from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.outputs.errors import REASONS as ERRORS
from sglang_exporter.outputs.reasons import REASONS as FINISHES
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState
from sglang_exporter.state.windows import windows

COUNTED = Record(
    settles=True,
    completions=1,
    output_tokens=100,
    lengths=(100,),
    input_tokens=7,
    finish_reasons=("stop",),
)
FAILED = Record(settles=True, errors=(("timeout", 1),), failed_output_tokens=30)


def job(
    total: int | None = None, average: float | Literal["auto"] | None = None, deadline: str | None = None
) -> JobState:
    config = JobConfig(files="", total=total, deadline=deadline, tokens=TokensConfig(average=average))
    return JobState(config, windows(["2m", "10m"]))


def export(state: JobState, now: float = 0.0) -> list[Metric]:
    page = Page()
    export_job(page, Labels({"dataset": "demo"}), state, now)
    return list(page.families())


def samples(state: JobState, now: float = 0.0) -> dict[str, dict[str, float]]:
    """Return the samples by name and by what their labels say beside the data set."""
    found: dict[str, dict[str, float]] = {}
    for sample in (sample for family in export(state, now) for sample in family.samples):
        assert sample.labels["dataset"] == "demo"
        found.setdefault(sample.name.removeprefix("sglang_job_"), {})[_rest(sample)] = sample.value
    return found


def _rest(sample: Sample) -> str:
    return ",".join(value for label, value in sample.labels.items() if label != "dataset")


def test_an_empty_job_shows_zeros_and_nothing_that_it_cannot_know() -> None:
    page = samples(job())
    assert page["completions_total"] == {"": 0}
    assert page["errors_total"] == dict.fromkeys(ERRORS, 0)
    assert page["finish_reasons_total"] == dict.fromkeys(FINISHES, 0)
    assert page["done"] == {"": 0}
    assert not page.keys() & {
        "cached_tokens_total",
        "estimated_output_tokens_total",
        "request_latency_seconds_count",
        "completions_per_second",
        "expected",
        "excess",
        "eta_timestamp_seconds",
        "last_completion_timestamp_seconds",
    }


def test_counts_by_reason() -> None:
    state = job()
    state.fold([COUNTED, COUNTED, FAILED, Record(malformed=True), Record(skipped=True)], 50.0, live=False)
    page = samples(state)
    assert page["completions_total"] == {"": 2}
    assert page["records_total"] == {"": 3}
    assert page["malformed_lines_total"] == page["skipped_records_total"] == {"": 1}
    assert page["output_tokens_total"] == {"": 200}
    assert page["failed_output_tokens_total"] == {"": 30}
    assert page["input_tokens_total"] == {"": 14}
    assert page["errors_total"]["timeout"] == 1
    assert page["finish_reasons_total"]["stop"] == 2
    assert page["last_completion_timestamp_seconds"] == {"": 50.0}


def test_histograms_are_cumulative() -> None:
    state = job()
    state.fold([COUNTED, Record(settles=True, completions=1, lengths=(1e6,), latencies=(0.3,))], 0.0, live=False)
    page = samples(state)
    assert page["completion_tokens_bucket"]["64"] == 0
    assert page["completion_tokens_bucket"]["128"] == 1
    assert page["completion_tokens_bucket"]["131072"] == 1
    assert page["completion_tokens_bucket"]["+Inf"] == page["completion_tokens_count"][""] == 2
    assert page["completion_tokens_sum"] == {"": 1_000_100}
    assert page["request_latency_seconds_bucket"]["0.5"] == 1


def test_cached_tokens_where_records_tell_them_even_none() -> None:
    state = job()
    state.fold([Record(settles=True, completions=1, cached_tokens=0)], 0.0, live=False)
    assert samples(state)["cached_tokens_total"] == {"": 0}


@pytest.mark.parametrize(("average", "shown"), [(None, False), (4100, True), ("auto", True)])
def test_estimates_only_with_an_average(average: float | Literal["auto"] | None, *, shown: bool) -> None:
    state = job(average=average)
    state.caught_up(0.0)
    page = samples(state, 120.0)
    assert ("estimated_output_tokens_total" in page) is shown
    assert ("estimated_output_tokens_per_second" in page) is shown


def test_rates_of_the_windows_that_have_passed() -> None:
    state = job()
    state.caught_up(0.0)
    state.fold([COUNTED] * 6, 60.0, live=True)
    page = samples(state, 120.0)
    assert page["completions_per_second"] == {"2m": 0.05}
    assert page["output_tokens_per_second"] == {"2m": 5.0}
    assert set(samples(state, 600.0)["completions_per_second"]) == {"2m", "10m"}


def test_progress_and_excess() -> None:
    state = job(total=2)
    state.fold([COUNTED, FAILED, COUNTED], 0.0, live=False)
    page = samples(state)
    assert (page["expected"], page["done"], page["succeeded"], page["excess"]) == ({"": 2}, {"": 2}, {"": 2}, {"": 1})


def test_the_three_times_of_the_end() -> None:
    state = job(total=1000)
    state.caught_up(0.0)
    for at in range(10, 1300, 10):
        state.fold([COUNTED], float(at), live=True)
    page = samples(state, 1300.0)
    low, best, high = (page[f"eta{which}_timestamp_seconds"][""] for which in ("_low", "", "_high"))
    assert 1300 < low <= best <= high
    assert best == pytest.approx(1300 + 871 * 10, rel=0.05)


def test_every_sample_has_the_labels_of_its_row() -> None:
    state = job(total=1000, average=10, deadline="2026-12-01T07:00Z")
    state.caught_up(0.0)
    records = [COUNTED, Record(settles=True, completions=1, uncounted=1, cached_tokens=1, latencies=(1.0,))]
    for at in range(10, 1300, 10):
        state.fold(records, float(at), live=True)
    families = export(state, 1300.0)
    names = {family.name for family in families}
    expected = {row.name.removesuffix("_total") if row.type == "counter" else row.name for row in JOB}
    assert names == expected
    for row, family in zip(JOB, families, strict=True):
        for sample in family.samples:
            assert set(sample.labels) - {"le"} == set(row.labels)


def test_a_deadline_is_shown_as_configured() -> None:
    page = samples(job(total=10, deadline="2026-12-01 08:00+01:00"))
    assert page["deadline_timestamp_seconds"] == {"": 1796108400}
