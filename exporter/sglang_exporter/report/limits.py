"""Which factor limits a run, with the evidence for it."""

from collections.abc import Iterator, Mapping

from sglang_exporter.report.advice import factors
from sglang_exporter.report.figures import Work
from sglang_exporter.report.findings import Limit
from sglang_exporter.report.words import number, percent

_FULL = 0.9
_MANY_RETRACTIONS = 1.0
_AT_LIMIT = 0.95
_WAITING = 1.0
_MORE_PREFILL = 10.0  # as in alerts and dashboards


def limit(work: Work | None, capacity: float | None, max_running: float, arguments: Mapping[str, str]) -> Limit | None:
    """Return what limits the run; None where nothing ran."""
    if work is None:
        return None
    name = _factor(work, max_running)
    factor = factors()[name]
    advice = [change.advice() for change in factor.changes if not change.done(dict(arguments))]
    return Limit(name, factor.title, list(_evidence(work, capacity, max_running, name)), advice, factor.runbook)


def _factor(work: Work, max_running: float) -> str:
    running, waiting = work.running.mean.mean, work.queued.mean.mean >= _WAITING
    full = work.usage.mean.mean >= _FULL or (work.share_of_now or 0.0) >= _FULL
    if work.retractions_per_minute > _MANY_RETRACTIONS:
        return "kv_cache_retracting"
    if full:
        return "kv_cache"
    if max_running and running >= _AT_LIMIT * max_running:
        return "max_running_requests"
    generated = work.generated.mean if work.generated else 0.0
    if waiting and work.prefilled_per_second > _MORE_PREFILL * generated:
        return "prefill"
    return "admission" if waiting else "load"


def _evidence(work: Work, capacity: float | None, max_running: float, name: str) -> Iterator[str]:
    yield factors()[name].means
    running = work.running.mean.mean
    if work.concurrency_now and work.share_of_now and capacity:
        yield (
            f"{running:,.0f} run of {work.concurrency_now:,.0f} that fit in {capacity:,.0f} tokens at"
            f" {work.tokens_per_request:,.0f} each: {percent(work.share_of_now)}"
        )
    yield f"token usage {work.usage.mean.mean:.2f} on average, {work.usage.p95:.2f} at the 95th percentile"
    yield f"{number(work.queued.mean.mean)} requests queued on average"
    if max_running:
        yield f"{running:,.0f} of at most {max_running:,.0f} requests run"
    if work.retracted_requests:
        yield f"{number(work.retractions_per_minute)} retractions a minute"
    if name == "prefill":
        yield f"{work.prefilled_per_second:,.0f} tokens of prompts computed a second"
