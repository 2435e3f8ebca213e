"""Histories and data sets to findings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from msgspec.structs import replace

from sglang_exporter.report.estimates import difference
from sglang_exporter.report.findings import Change, Comparison, Engine, Epoch, Point, Report
from sglang_exporter.report.history import EngineHistory, Run
from sglang_exporter.report.jobs import job, length, rate
from sglang_exporter.report.jobtimes import JobTimes
from sglang_exporter.report.limits import limit
from sglang_exporter.report.proven import Length, proven, told
from sglang_exporter.report.watched import WatchedJob
from sglang_exporter.report.work import burst, capacity, window, work

VERSION = 1
_MOST_POINTS = 120
_LEAST_POINTS = 30


@dataclass
class Evidence:
    """What the outputs tell of the requests of one engine: nothing where several engines may have answered them."""

    times: Sequence[JobTimes]
    """Of every data set; none where one of them tells no times."""
    length: Length


def analyse(
    histories: Mapping[tuple[str, str], EngineHistory], jobs: Mapping[str, WatchedJob], epoch: int | None
) -> Report:
    """Return the findings; `epoch` takes one run of each engine only, from 1 on, or from the last one with -1."""
    alone = len(histories) == 1
    evidence = _evidence(jobs, alone=alone)
    engines = [_engine(name, history.runs, evidence) for name, history in histories.items() if history.runs]
    last = _last_proven(engines) if alone else None
    ends = [history.runs[-1].ended for history in histories.values() if history.runs]
    return Report(
        version=VERSION,
        until=max(ends, default=None),
        engines=engines if epoch is None else [_only(epoch, engine) for engine in engines],
        jobs=[job(name, state, rate(state, last, alone=len(jobs) == 1)) for name, state in jobs.items()],
        notes=list(_notes(histories, jobs, engines)),
    )


def _evidence(jobs: Mapping[str, WatchedJob], *, alone: bool) -> Evidence:
    if not alone or not jobs:
        return Evidence((), Length(None, None, ""))
    times = [state.times for state in jobs.values()]
    return Evidence(times if all(times) else (), length(jobs))


def _engine(name: tuple[str, str], runs: Sequence[Run], evidence: Evidence) -> Engine:
    befores = [None, *runs]
    epochs = [_epoch(number, run, befores[number - 1], evidence) for number, run in enumerate(runs, 1)]
    return Engine(*name, epochs, [_compare(a, b) for a, b in pairwise(_worked(epochs))])


def _only(number: int, engine: Engine) -> Engine:
    """Return an engine with one epoch, counted from the last one where `number` is negative."""
    wanted = number if number > 0 else len(engine.epochs) + 1 + number
    epochs = [epoch for epoch in engine.epochs if epoch.number == wanted]
    return replace(engine, epochs=epochs, comparisons=[one for one in engine.comparisons if one.after == wanted])


def _worked(epochs: Sequence[Epoch]) -> list[Epoch]:
    return [epoch for epoch in epochs if epoch.work and epoch.work.generated]


def _epoch(number: int, run: Run, before: Run | None, evidence: Evidence) -> Epoch:
    room, source = capacity(run)
    stretched = window(run)
    found = work(stretched, room, _full_length(run, evidence)) if stretched else None
    return Epoch(
        number=number,
        begin=run.began,
        end=run.ended,
        started=run.started,
        ready_after=None if run.ready is None or not run.started else run.ready - run.began,
        arguments=run.arguments,
        changes=_changes(before, run) if before and run.started else [],
        capacity_tokens=room,
        capacity_source=source,
        max_running_requests=run.max_running or None,
        context_length=run.context or None,
        phases={str(phase): seconds for phase, seconds in run.turns.seconds(run.ended).items()},
        burst=burst(run),
        work=found,
        proven=proven(told(evidence.times, stretched.rows), found, evidence.length) if stretched and found else None,
        limit=limit(found, room, run.max_running, run.arguments),
        errors=run.errors,
        points=_points(run) if run.fine else [],
    )


def _full_length(run: Run, evidence: Evidence) -> float | None:
    """Return the mean total length of a finished request: of the output files, else of the log's request lines."""
    if evidence.length.whole:
        return evidence.length.whole
    finished = run.rows.gain("finished")
    return (run.rows.gain("finished_tokens") + run.rows.gain("finished_input")) / finished if finished else None


def _changes(before: Run, after: Run) -> list[Change]:
    names = sorted(before.arguments.keys() | after.arguments.keys())
    pairs = [(name, before.arguments.get(name, ""), after.arguments.get(name, "")) for name in names]
    return [Change(*pair) for pair in pairs if pair[1] != pair[2]]


def _compare(before: Epoch, after: Epoch) -> Comparison:
    first, second = (one.work.generated for one in (before, after) if one.work and one.work.generated)
    found = difference(first, second)
    steady = all(one.work and one.work.window.phase == "steady" for one in (before, after))
    if found.distinguishable is None:
        verdict = "too short for an interval"
    elif not found.distinguishable:
        verdict = "not distinguishable"
    else:
        verdict = "faster" if found.by > 0 else "slower"
    verdict = verdict if steady else f"{verdict}, but one was never steady"
    return Comparison(before.number, after.number, first, second, found, verdict)


def _points(run: Run) -> list[Point]:
    """Return the plot: the run in as many parts as laps, 30 at least and 120 at most, each with their means."""
    seconds = run.ended - run.began
    if not seconds or not len(run.rows):
        return []
    number = max(_LEAST_POINTS, min(_MOST_POINTS, len(run.rows)))
    width = seconds / number
    parts: list[list[int]] = [[] for _ in range(number)]
    for index, at in enumerate(run.rows.column("at")):
        parts[max(0, min(number - 1, int((at - run.began) / width)))].append(index)
    speeds, usages = run.rows.column("speed"), run.rows.column("usage")
    return [
        Point(
            run.began + (place + 0.5) * width,
            _mean([speeds[index] for index in part]),
            _mean([usages[index] for index in part]),
            run.turns.at(run.began + (place + 0.5) * width),
        )
        for place, part in enumerate(parts)
    ]


def _mean(values: Sequence[float]) -> float | None:
    known = [value for value in values if value == value]  # noqa: PLR0124 -- a speed that was not told is no number
    return fmean(known) if known else None


def _last_proven(engines: Sequence[Engine]) -> Epoch | None:
    """Return the last epoch that proves a rate, for what is still to be done."""
    return next((epoch for engine in engines for epoch in reversed(engine.epochs) if epoch.proven), None)


def _notes(
    histories: Mapping[tuple[str, str], EngineHistory], jobs: Mapping[str, WatchedJob], engines: Sequence[Engine]
) -> Sequence[str]:
    notes = []
    if jobs and len(histories) > 1:
        notes.append("several engines: which of them answered a record is not known, so outputs prove nothing for one")
    if jobs and len(histories) == 1 and not all(state.times for state in jobs.values()):
        notes.append("output records carry no time: the log's access or request lines tell when requests finished")
    if not engines:
        notes.append("no line of a log that an SGLang server writes")
    return notes
