"""How servers and jobs are, in a few words, for the page at `/`."""

from collections.abc import Iterator
from datetime import UTC, datetime

from sglang_exporter.state.job import JobState
from sglang_exporter.state.server import ServerState
from sglang_exporter.state.source import SourceState

_SUMS = (
    ("running_requests", "{:,.0f} running"),
    ("queued_requests", "{:,.0f} queued"),
    ("gen_throughput_tokens_per_second", "{:,.0f} tok/s reported"),
)


def source_words(source: SourceState) -> str | None:
    """Return what is to be said of a source before anything in it is; None when all is well."""
    if not source.caught_up:
        return f"catching up, {source.behind:,} bytes to go"
    return None if source.up else "not there, or not readable"


def server_words(state: ServerState, now: float, stale_after: float | None) -> str:
    """Return phase, requests, KV cache and speed of a server, all engines and ranks together."""
    return ", ".join(_server_parts(state, now, stale_after)) or "nothing said yet"


def _server_parts(state: ServerState, now: float, stale_after: float | None) -> Iterator[str]:
    yield from sorted({phase for engine in state.engines.values() if (phase := engine.phase(now, stale_after))})
    gauges = [
        scheduler.gauges(now, stale_after)
        for engine in state.engines.values()
        if not engine.down
        for scheduler in engine.schedulers.values()
    ]
    for metric, words in _SUMS:
        if values := [found[metric, ""] for found in gauges if (metric, "") in found]:
            yield words.format(sum(values))
    if usages := [usage for found in gauges if (usage := found.get(("token_usage_ratio", "kv"))) is not None]:
        yield f"KV cache {max(usages):.0%} full"


def job_words(state: JobState, now: float) -> str:
    """Return what is done of a job, how fast, and when it will be over."""
    return ", ".join(_job_parts(state, now))


def _job_parts(state: JobState, now: float) -> Iterator[str]:
    total = state.expected
    yield f"{state.done:,} of {total:,} done" if total else f"{state.done:,} done"
    for window, rates in state.rates(now).items():
        yield f"{rates.completions:.3g} completions/s over {window}"
    if eta := state.eta(now):
        yield f"probably over at {datetime.fromtimestamp(eta.best, UTC):%Y-%m-%d %H:%M} UTC"
