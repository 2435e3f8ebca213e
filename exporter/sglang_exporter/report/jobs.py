"""What is done of a data set, how long its answers are, and when it will be over."""

from collections.abc import Mapping

from sglang_exporter.report.figures import Estimate, Proven
from sglang_exporter.report.findings import Job
from sglang_exporter.report.proven import Length
from sglang_exporter.report.watched import WatchedJob
from sglang_exporter.state.job import JobState
from sglang_exporter.state.tally import ERRORS, Counts, average_length


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


def failed_tokens(states: Mapping[str, JobState]) -> float:
    """Return the tokens of records that failed."""
    return sum(state.totals()["failed_output_tokens"] for state in states.values())


def job(dataset: str, state: WatchedJob, proven: Proven | None, *, alone: bool) -> Job:
    """Return the findings of a data set; its rate is the proven one, where it is `alone` in the report."""
    counts = state.totals()
    number, mean = average_length(counts)
    done, expected = float(state.done), state.config.total
    rate = proven.requests_per_second if proven and alone else None
    to_go = _to_go(expected - done, rate) if expected is not None and rate else (None, None, None)
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
        requests_per_second=rate,
        seconds_to_go=to_go[0],
        seconds_to_go_low=to_go[1],
        seconds_to_go_high=to_go[2],
        rate_source=proven.source if proven and alone else "",
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
