"""When records were over, and how long answers are, in bounded memory."""

import pytest

from sglang_exporter.outputs.record import Record
from sglang_exporter.report.jobtimes import JobTimes
from sglang_exporter.report.lengths import Lengths

START = 1_795_968_000.0


def record(at: float, tokens: float = 100.0) -> Record:
    return Record(settles=True, completions=1, output_tokens=tokens, lengths=(tokens,), timestamp=START + at)


def test_completions_and_tokens_until_a_time() -> None:
    times = JobTimes()
    for second in range(100):
        times.add(record(second + 0.5), 1)
    assert times.total(0, START + 50) == 50
    assert times.total(1, START + 50) == 5000
    assert (times.begin, times.end) == (START, START + 100)
    assert times.total(0, START - 5) == 0


def test_days_are_kept_in_wider_bins() -> None:
    times = JobTimes()
    for second in range(0, 400_000, 4):
        times.add(record(second), 1)
    assert times.width == 128
    assert times.total(0, START + 200_000) == pytest.approx(50_000, abs=40)
    assert times.total(0, START + 1e9) == 100_000


def test_a_record_that_failed_is_done_and_no_completion() -> None:
    times = JobTimes()
    times.add(Record(errors=(("timeout", 1),), failed_output_tokens=70, timestamp=START), 1)
    assert [times.total(column, START + 9) for column in range(5)] == [0, 0, 0, 70, 1]


def test_a_record_without_a_time_is_left_out() -> None:
    times = JobTimes()
    times.add(Record(completions=1), 1)
    assert not times


def test_percentiles_of_lengths_are_right_to_a_hundredth() -> None:
    lengths = Lengths()
    for tokens in range(1, 10_001):
        lengths.add(record(0, float(tokens)))
    assert lengths.percentile(0.5) == pytest.approx(5000, rel=0.01)
    assert lengths.percentile(0.95) == pytest.approx(9500, rel=0.01)
    assert Lengths().percentile(0.5) is None


def test_a_withdrawn_record_is_taken_back() -> None:
    lengths = Lengths()
    lengths.add(record(0, 10))
    lengths.add(record(0, 5000))
    lengths.add(Record(withdrawn=True, lengths=(5000.0,)))
    assert lengths.percentile(0.95) == pytest.approx(10, rel=0.01)
