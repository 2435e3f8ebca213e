"""What records add to the counts of a job."""

import msgspec
import pytest
from msgspec.structs import replace

from sglang_exporter.config import JobConfig, TokensConfig
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import LATENCY_BOUNDS, latency_quantile, zeros
from sglang_exporter.state.windows import windows

GOOD = Record(
    settles=True,
    completions=1,
    output_tokens=100,
    lengths=(100,),
    input_tokens=7,
    cached_tokens=4,
    finish_reasons=("stop",),
    latencies=(2.5,),
)
FAILED = Record(settles=True, errors=(("timeout", 1),), failed_output_tokens=30)
UNCOUNTED = Record(settles=True, completions=1, uncounted=1, finish_reasons=("unknown",))


def job(tokens: TokensConfig | None = None) -> JobState:
    return JobState(JobConfig(files="", tokens=tokens or TokensConfig()))


def fold(state: JobState, *records: Record) -> dict[str, float]:
    """Fold records; return what changed."""
    before = dict(state.counts)
    state.fold(records, 0.0, live=False)
    return {name: count - before[name] for name, count in state.counts.items() if count != before[name]}


def test_a_completion() -> None:
    assert fold(job(), GOOD) == {
        "records": 1,
        "completions": 1,
        "output_tokens": 100,
        "input_tokens": 7,
        "cached_tokens": 4,
        "records_with_cached_tokens": 1,
        "finish_reasons.stop": 1,
        "lengths.1": 1,
        "lengths.sum": 100,
        "latencies.4": 1,
        "latencies.sum": 2.5,
    }


def test_a_failed_request() -> None:
    assert fold(job(), FAILED) == {"records": 1, "errors.timeout": 1, "failed_output_tokens": 30}


def test_lines_that_are_no_records() -> None:
    changed = fold(job(), Record(skipped=True), Record(malformed=True), Record(malformed=True))
    assert changed == {"skipped_records": 1, "malformed_lines": 2}


def test_a_length_on_a_bound_is_in_its_bucket() -> None:
    lengths = (64, 65, 131072, 131073)
    changed = fold(job(), replace(GOOD, lengths=lengths))
    assert [name for name in changed if name.startswith("lengths.") and name != "lengths.sum"] == [
        "lengths.0",
        "lengths.1",
        "lengths.11",
        "lengths.12",
    ]


def test_without_an_average_nothing_is_estimated() -> None:
    assert "estimated_output_tokens" not in fold(job(), UNCOUNTED)


def test_estimates_are_apart_from_counts() -> None:
    changed = fold(job(TokensConfig(average=4100)), GOOD, UNCOUNTED, FAILED)
    assert (changed["output_tokens"], changed["estimated_output_tokens"]) == (100, 4100)


def test_auto_waits_for_fifty_counts_and_then_takes_their_mean() -> None:
    state = job(TokensConfig(average="auto"))
    assert "estimated_output_tokens" not in fold(state, UNCOUNTED, *[GOOD] * 49)
    assert fold(state, replace(GOOD, output_tokens=150, lengths=(150,)))["estimated_output_tokens"] == 101
    assert fold(state, UNCOUNTED)["estimated_output_tokens"] == 101


def test_estimates_that_waited_for_an_average_are_no_rate() -> None:
    state = JobState(JobConfig(files="", tokens=TokensConfig(average="auto")), windows(["2m"]))
    state.caught_up(0.0)
    state.fold([*[GOOD] * 49, *[UNCOUNTED] * 10], 100.0, live=True)
    state.fold([GOOD, UNCOUNTED], 130.0, live=True)
    assert state.counts["estimated_output_tokens"] == 11 * 100
    assert state.rates(130.0)["2m"].estimated_tokens == pytest.approx(100 / 120)


def test_an_estimate_by_text_is_taken_before_an_average() -> None:
    by_text = replace(UNCOUNTED, measured=1, estimated_tokens=70.5)
    state = JobState(JobConfig(files="", tokens=TokensConfig(average=100)), windows(["2m"]))
    state.caught_up(0.0)
    state.fold([by_text, by_text, UNCOUNTED, GOOD], 120.0, live=True)
    assert (state.counts["estimated_output_tokens"], state.counts["output_tokens"]) == (241, 100)
    assert state.rates(120.0)["2m"].estimated_tokens == pytest.approx(241 / 120)
    state.fold([replace(by_text, withdrawn=True)], 120.0, live=True)
    assert state.counts["estimated_output_tokens"] == 170.5


def test_a_count_that_comes_later_is_not_estimated_and_no_estimate_falls() -> None:
    state = job(TokensConfig(average=100))
    assert fold(state, UNCOUNTED)["estimated_output_tokens"] == 100
    late = Record(output_tokens=80, lengths=(80,), uncounted=-1)
    assert "estimated_output_tokens" not in fold(state, late)
    assert "estimated_output_tokens" not in fold(state, UNCOUNTED)
    assert fold(state, UNCOUNTED)["estimated_output_tokens"] == 100


def test_no_total_falls_when_records_are_withdrawn() -> None:
    state = job()
    fold(state, GOOD, GOOD)
    fold(state, replace(GOOD, withdrawn=True), FAILED)
    assert (state.counts["completions"], state.totals()["completions"]) == (1, 2)
    assert state.totals()["records"] == state.totals()["completions"] == 2
    assert state.totals()["errors.timeout"] == 1
    fold(state, GOOD)
    assert state.totals()["completions"] == 2
    fold(state, GOOD)
    assert state.totals() == {**state.counts, "completions": 3}


def test_what_is_withdrawn_is_no_rate() -> None:
    state = JobState(JobConfig(files=""), windows(["2m"]))
    state.caught_up(0.0)
    state.fold([GOOD, GOOD], 10.0, live=True)
    state.fold([replace(GOOD, withdrawn=True)], 125.0, live=True)
    assert state.rates(125.0)["2m"].completions == pytest.approx(1 / 120)
    assert state.rates(130.0)["2m"].completions == 0


def test_no_records_change_nothing() -> None:
    state = job()
    assert fold(state) == {}
    assert state.counts == zeros()


@pytest.mark.parametrize(
    ("latencies", "share", "wanted"),
    [
        ([], 0.95, None),
        ([0.75], 1.0, 1.0),
        ([0.05] * 95 + [90.0] * 5, 0.95, 0.1),
        ([0.75] * 100, 0.5, 0.75),
        ([1e6], 0.95, LATENCY_BOUNDS[-1]),
    ],
)
def test_quantiles_are_even_within_buckets(latencies: list[float], share: float, wanted: float | None) -> None:
    state = job()
    fold(state, replace(GOOD, latencies=tuple(latencies)))
    assert latency_quantile(state.counts, share) == (wanted if wanted is None else pytest.approx(wanted))


def test_the_state_can_be_stored() -> None:
    state = job(TokensConfig(average="auto"))
    fold(state, GOOD, FAILED, UNCOUNTED)
    stored = msgspec.msgpack.decode(msgspec.msgpack.encode(state), type=JobState)
    assert stored.counts == state.counts
    assert fold(stored, GOOD)["completions"] == 1
