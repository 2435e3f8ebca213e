"""Lengths, concurrencies, retractions and proven rates of a window, in words."""

from collections.abc import Iterator

from sglang_exporter.report.figures import Proven, Work
from sglang_exporter.report.words import estimate, number, percent

Row = tuple[str, list[str]]


def lengths(work: Work) -> Iterator[Row]:
    """Yield what is to be said of the requests' lengths, and of how many fit."""
    if work.tokens_per_request:
        yield "length", [f"{work.tokens_per_request:,.0f} tokens per running request"]
    if work.concurrency_now and work.share_of_now:
        fit = f"{work.concurrency_now:,.0f} requests fit at that length: {percent(work.share_of_now)} of them run"
        yield "concurrency now", [fit]
    if work.concurrency_at_full_length and work.full_length:
        fit = (
            f"{work.concurrency_at_full_length:,.0f} fit at the full length of a finished one, {work.full_length:,.0f}"
        )
        yield "at full length", [f"{fit} tokens"]
    yield "retractions", [_retractions(work)]
    yield "prompts", [f"{number(work.prefilled_per_second)} tokens computed a second"]
    if work.cache_hit_ratio is not None:
        yield "prefix cache", [f"{percent(work.cache_hit_ratio, 1)} of the tokens of prompts were found in it"]


def _retractions(work: Work) -> str:
    if not work.retracted_requests:
        return "none"
    return (
        f"{number(work.retractions_per_minute)} a minute, {work.retracted_requests:,.0f} requests in all: about"
        f" {work.wasted_tokens:,.0f} tokens prefilled again"
    )


def proofs(proven: Proven | None, work: Work) -> Iterator[Row]:
    """Yield the rates that finished requests prove beside the reported, and the gap between them."""
    if proven is None:
        yield "proven", ["no line tells when requests finished, or too few did in this time"]
        return
    rate = estimate(proven.requests_per_second, "requests/s")
    yield "proven", [f"{rate}, {number(proven.per_120_s)} in 120 s, by {proven.source}"]
    if proven.tokens_per_second is None:
        yield "", ["tokens not known: give the outputs, or --average-tokens"]
        return
    length = f"{number(proven.mean_tokens or 0)} tokens each, {proven.mean_tokens_source}"
    yield "", [f"{estimate(proven.tokens_per_second, 'tok/s')}: {length}"]
    if proven.gap is not None and work.throughput:
        sign = "less" if proven.gap < 0 else "more"
        yield "gap", [f"{percent(abs(proven.gap), 1)} {sign} than reported", *proven.gap_reasons]
