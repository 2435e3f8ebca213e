"""Findings to the blocks of a report."""

from collections.abc import Iterator

from sglang_exporter.durations import duration
from sglang_exporter.report.figures import Burst, Spread, Work
from sglang_exporter.report.findings import Comparison, Engine, Epoch, Limit, Report
from sglang_exporter.report.outline import Block, Chart, Facts, Grid, Heading, Lines
from sglang_exporter.report.telling_job import tell_job
from sglang_exporter.report.telling_rates import lengths, proofs
from sglang_exporter.report.words import clock, estimate, number, phase

Row = tuple[str, list[str]]
_MOST_TOLD = 10
_USUAL = ("False", "null", "None", "auto", "")
"""Values of arguments that say nothing, and are left out of the list of the first epoch."""


def tell(report: Report) -> Iterator[Block]:
    """Yield the blocks of a report."""
    for engine in report.engines:
        yield from _engine(engine)
    for job in report.jobs:
        yield from tell_job(job, report.until)
    if report.notes:
        yield Heading("Notes", 1)
        yield Lines(report.notes)


def _engine(engine: Engine) -> Iterator[Block]:
    name = f"{engine.server}, engine {engine.engine}" if engine.engine else engine.server
    yield Heading(f"Server {name}", 1)
    if earlier := engine.epochs[:-_MOST_TOLD]:
        yield Lines([f"{len(earlier):,} epochs before these {_MOST_TOLD}: --epoch shows one, JSON all"])
    for epoch in engine.epochs[-_MOST_TOLD:]:
        yield from _epoch(epoch)
    if engine.comparisons:
        yield Heading("Epochs compared: generated tok/s over time, with 95 % intervals", 2)
        yield Grid(
            ("epochs", "before", "after", "difference", "times", ""), [_comparison(one) for one in engine.comparisons]
        )


def _epoch(epoch: Epoch) -> Iterator[Block]:
    end = clock(epoch.end, epoch.begin)
    head = f"Epoch {epoch.number}: {clock(epoch.begin)} to {end} UTC, {duration(epoch.end - epoch.begin)}"
    yield Heading(head, 2)
    yield Facts(list(_start(epoch)))
    if any(point.throughput is not None for point in epoch.points):
        yield Chart(epoch.points)
    if epoch.work:
        yield from _work(epoch, epoch.work)
    elif epoch.phases:
        yield Lines(["No figures: there are too few Decode or Prefill lines in any phase."])
    if epoch.limit:
        yield from _limit(epoch.limit)


def _start(epoch: Epoch) -> Iterator[Row]:
    yield from _arguments(epoch)
    if epoch.capacity_tokens:
        yield "capacity", [_capacity(epoch)]
    if epoch.ready_after is not None:
        yield "ready", [f"{duration(epoch.ready_after)} after the start"]
    elif epoch.started:
        yield "ready", ["never said so"]
    if epoch.phases:
        yield "phases", [", ".join(f"{phase(name)} {duration(s)}" for name, s in epoch.phases.items() if s >= 1)]
    if epoch.burst:
        yield "first burst", [_burst(epoch.burst)]
    if epoch.errors:
        yield "errors", [", ".join(f"{kind} {count:,.0f}" for kind, count in epoch.errors.items())]


def _arguments(epoch: Epoch) -> Iterator[Row]:
    if not epoch.started:
        yield "start", ["not in this log, which begins in the middle of the epoch"]
    elif epoch.number == 1:
        given = {name: value for name, value in epoch.arguments.items() if value not in _USUAL}
        yield "arguments", [", ".join(f"{name} {value}" for name, value in given.items())]
    elif not epoch.changes:
        yield "changed", ["none of the arguments that are kept"]
    for index, change in enumerate(epoch.changes):
        what = f"{change.argument}: {change.before or 'not given'} -> {change.after or 'not given'}"
        yield "" if index else "changed", [what]


def _burst(burst: Burst) -> str:
    speed = f", {number(burst.throughput.median)} tok/s reported" if burst.throughput else ""
    seconds = burst.window.end - burst.window.begin
    return f"up to {number(burst.running)} running{speed}, worked through in {duration(seconds)}"


def _capacity(epoch: Epoch) -> str:
    said = f"{epoch.capacity_tokens:,.0f} tokens"
    if epoch.capacity_source != "max_total_num_tokens":
        said += f" (from {epoch.capacity_source})"
    if epoch.max_running_requests:
        said += f", at most {epoch.max_running_requests:,.0f} running"
    if epoch.context_length:
        said += f", context of {epoch.context_length:,.0f}"
    return said


def _work(epoch: Epoch, work: Work) -> Iterator[Block]:
    window = work.window
    what = "Steady state" if window.phase == "steady" else f"Never steady; {phase(window.phase)}"
    span = f"{clock(window.begin, epoch.begin)} to {clock(window.end, epoch.begin)}"
    yield Heading(f"{what}: {span}, {duration(window.end - window.begin)}, {window.laps:,} laps", 3)
    rows = [
        _spread("reported tok/s", work.throughput) if work.throughput else None,
        ["generated tok/s over time", estimate(work.generated), "", "", ""] if work.generated else None,
        _spread("token usage", work.usage, "{:.2f}"),
        _spread("running requests", work.running),
        _spread("queued requests", work.queued),
    ]
    yield Grid(("", "mean, 95 % interval", "median", "5 %", "95 %"), [row for row in rows if row])
    yield Facts([*lengths(work), *proofs(epoch.proven, work)])


def _spread(name: str, spread: Spread, form: str = "") -> list[str]:
    words = form.format if form else number
    half = "" if spread.mean.half is None else f" ± {words(spread.mean.half)}"
    mean = f"{words(spread.mean.mean)}{half}" if form else estimate(spread.mean)
    return [name, mean, *(words(one) for one in (spread.median, spread.p5, spread.p95))]


def _limit(limit: Limit) -> Iterator[Block]:
    yield Heading(f"Limited by: {limit.title}", 3)
    yield Lines(limit.evidence)
    if limit.next:
        yield Grid(
            ("try next", "direction", "cost"), [[a.change, a.direction, a.cost] for a in limit.next], numbers=False
        )
    if limit.runbook:
        yield Lines([f"More in prometheus/runbooks/{limit.runbook}.md"])


def _comparison(one: Comparison) -> list[str]:
    found = one.difference
    interval = "" if found.low is None or found.high is None else f" ({number(found.low)} to {number(found.high)})"
    difference = f"{'+' if found.by > 0 else ''}{number(found.by)}{interval}"
    means = [number(mean.mean) for mean in (one.before_mean, one.after_mean)]
    times = "" if found.ratio is None else f"{found.ratio:.2f}"
    return [f"{one.before} -> {one.after}", *means, difference, times, one.verdict]
