"""What is done of a data set, how long its answers are, and when it will be over."""

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

from sglang_exporter.report.estimates import over_time
from sglang_exporter.report.figures import Estimate
from sglang_exporter.report.findings import Epoch, Job
from sglang_exporter.report.jobtimes import DONE
from sglang_exporter.report.proven import Length
from sglang_exporter.report.watched import WatchedJob
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import ERRORS, Counts, average_length

_BATCHES = 10
_LEAST_OF_A_BATCH = 10
_LEAST_SECONDS = 10.0  # times are printed to the second


def length(states: Mapping[str, JobState]) -> Length:
    """Return the mean lengths of the requests of all data sets; exact where records have counts, else as configured."""
    counts: Counts = {}
    for state in states.values():
        for name, count in state.totals().items():
            counts[name] = counts.get(name, 0.0) + count
    number, answer = average_length(counts) if counts else (0.0, 0.0)
    if number:
        return Length(answer, answer + _input(counts), "exact")
    given = [state.config.tokens.average for state in states.values()]
    average = next((one for one in given if isinstance(one, float | int)), None)
    return Length(average, average, "estimated" if average else "")


class Rate(NamedTuple):
    """How much of a job is done a second, and what tells."""

    done: Estimate
    source: str


def rate(state: WatchedJob, last: Epoch | None, *, alone: bool) -> Rate | None:
    """Return the rate of a data set: by its records' times, else that of the only data set by what the log proves.

    It is that of the last epoch's window; of the last half of the records' time where no log tells of windows.
    """
    if times := state.times:
        begin, end, where = (times.begin + times.end) / 2, times.end, "output records, the last half of their time"
        if last and last.work:
            window = last.work.window
            begin, end, where = max(window.begin, times.begin), min(window.end, times.end), "output records"
        number = times.total(DONE, end) - times.total(DONE, begin) if end - begin >= _LEAST_SECONDS else 0
        parts = max(1, min(_BATCHES, int(number / _LEAST_OF_A_BATCH)))
        return Rate(over_time(partial(times.total, DONE), begin, end, parts), where) if number else None
    return Rate(last.proven.requests_per_second, last.proven.source) if alone and last and last.proven else None


def job(dataset: str, state: WatchedJob, by: Rate | None) -> Job:
    """Return the findings of a data set, which is done at a rate."""
    counts = state.totals()
    number, mean = average_length(counts)
    done, expected = float(state.done), state.expected
    to_go = _to_go(expected - done, by.done) if expected is not None and by else (None, None, None)
    return Job(
        dataset=dataset,
        done=done,
        expected=None if expected is None else float(expected),
        succeeded=float(state.succeeded),
        completions=counts["completions"],
        errors={reason: counts[name] for reason, name in ERRORS.items() if counts[name]},
        output_tokens=counts["output_tokens"],
        estimated_output_tokens=counts["estimated_output_tokens"],
        mean_tokens=mean if number else None,
        median_tokens=state.lengths.percentile(0.5),
        p95_tokens=state.lengths.percentile(0.95),
        mean_input_tokens=_input(counts) or None,
        done_per_second=by.done if by else None,
        seconds_to_go=to_go[0],
        seconds_to_go_low=to_go[1],
        seconds_to_go_high=to_go[2],
        rate_source=by.source if by else "",
    )


def _to_go(left: float, rate: Estimate) -> tuple[float | None, float | None, float | None]:
    """Return the seconds to go at a rate, and at the edges of its interval, sooner first."""
    if left <= 0:
        return 0.0, None, None
    seconds = [left / one if one and one > 0 else None for one in (rate.mean, rate.high, rate.low)]
    return seconds[0], seconds[1], seconds[2]


def _input(counts: Counts) -> float:
    """Return the mean prompt of a completion."""
    return counts["input_tokens"] / counts["completions"] if counts["completions"] else 0.0
