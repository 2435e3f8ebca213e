"""What finished requests prove for a window, beside what the server reported, and where the two may part."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sglang_exporter.report.estimates import Total, over_time
from sglang_exporter.report.figures import Estimate, Proven, Work
from sglang_exporter.report.jobtimes import COMPLETIONS, FAILED, TOKENS, UNCOUNTED, JobTimes, together
from sglang_exporter.report.rows import Rows
from sglang_exporter.report.words import percent

_BATCHES = 10
_LEAST_REQUESTS = 5
_LEAST_SECONDS = 10.0  # times are printed to the second
_NOTABLE = 0.02
_EXAMPLE = 120.0


class Length(NamedTuple):
    """The mean number of tokens of an answer, of a whole request, and whether they are `exact` or `estimated`."""

    answer: float | None
    whole: float | None
    source: str


class Told(NamedTuple):
    """Finished requests over time, and their exact tokens where these are told with them."""

    source: str
    requests: Total
    tokens: Total | None
    begin: float
    end: float
    failed: Total | None = None
    """Tokens of requests that failed, where these are told with them."""


def told(times: Sequence[JobTimes], rows: Rows) -> Told | None:
    """Return the best that tells when requests finished: records with times, request lines, access lines."""
    begin, end = rows.begin, rows.end
    if times:
        begin, end = max(begin, min(one.begin for one in times)), min(end, max(one.end for one in times))
        counted = not together(times, UNCOUNTED, float("inf"))
        tokens = partial(together, times, TOKENS) if counted else None
        failed = partial(together, times, FAILED)
        return Told("output records", partial(together, times, COMPLETIONS), tokens, begin, end, failed)
    if rows.gain("finished"):
        return Told(
            "lines of finished requests",
            partial(rows.total, "finished"),
            partial(rows.total, "finished_tokens"),
            begin,
            end,
        )
    if rows.gain("answered"):
        return Told("access lines", partial(rows.total, "answered"), None, begin, end)
    return None


def proven(by: Told | None, work: Work, length: Length) -> Proven | None:
    """Return the rates that finished requests prove for a window, by batches as long as a request or longer.

    None where a request takes longer than the window, so that fewer finished than run, or where too few did.
    """
    if by is None or by.end - by.begin < _LEAST_SECONDS:
        return None
    requests = by.requests(by.end) - by.requests(by.begin)
    if requests < max(_LEAST_REQUESTS, work.running.mean.mean):
        return None
    seconds = by.end - by.begin
    number = max(1, min(_BATCHES, int(requests / max(work.running.mean.mean, 1.0))))
    rates = over_time(by.requests, by.begin, by.end, number)
    tokens = _tokens(by, rates, number, length)
    reported = work.throughput.mean.mean if work.throughput else None
    gap = tokens.mean / reported - 1 if tokens and reported else None
    return Proven(
        source=by.source,
        requests=requests,
        seconds=seconds,
        requests_per_second=rates,
        tokens_per_second=tokens,
        mean_tokens=tokens.mean / rates.mean if tokens and rates.mean else length.answer,
        mean_tokens_source="exact" if by.tokens else length.source,
        per_120_s=rates.mean * _EXAMPLE,
        gap=gap,
        gap_reasons=list(_reasons(by, work, rates, tokens)) if tokens and reported else [],
    )


def _tokens(by: Told, rates: Estimate, number: int, length: Length) -> Estimate | None:
    if by.tokens:
        return over_time(by.tokens, by.begin, by.end, number)
    if length.answer is None:
        return None
    low, high = (None if edge is None else edge * length.answer for edge in (rates.low, rates.high))
    return Estimate(rates.mean * length.answer, low, high, rates.batches)


def _reasons(by: Told, work: Work, rates: Estimate, tokens: Estimate) -> Iterator[str]:
    """Yield why proven and reported tokens differ, each reason with its size."""
    reported = work.throughput.mean.mean if work.throughput else 0.0
    generated = work.generated.mean if work.generated else reported
    if abs(generated / reported - 1) > _NOTABLE:
        yield (
            f"the reported mean is over lines; over time it is {generated:,.0f} tok/s, for a line after prefills or a"
            " pause stands for more time"
        )
    rest = tokens.mean - generated
    share = percent(abs(rest) / reported, 1)
    if abs(rest) < max(_NOTABLE * reported, tokens.half or 0.0):
        yield f"the rest, {share}, is no more than the intervals allow"
        return
    if failed := (by.failed(by.end) - by.failed(by.begin)) / (by.end - by.begin) if by.failed else 0.0:
        yield f"{failed:,.0f} tok/s went into requests that failed"
    if not by.tokens and rates.mean:
        yield (
            "these requests' tokens are not counted one by one: answers of"
            f" {generated / rates.mean:,.0f} tokens on average would close the gap"
        )
        return
    if work.window.phase != "steady":
        yield "the window is not steady: requests that still run have tokens that nothing proves yet"
    if rest < 0:
        yield f"{share} is in no record: requests that were aborted, or are answered to another client, leave none here"
