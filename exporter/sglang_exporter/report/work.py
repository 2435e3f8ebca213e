"""The figures of the steady state of one run, or of its longest stretch of work where it never was steady."""

from collections.abc import Sequence
from functools import partial
from statistics import fmean, median
from typing import NamedTuple

from sglang_exporter.report.estimates import over_time, spread
from sglang_exporter.report.figures import Burst, Window, Work
from sglang_exporter.report.history import Run
from sglang_exporter.report.rows import Rows
from sglang_exporter.report.turns import Stretch
from sglang_exporter.state.phase import Phase

_BATCHES = 10
_LEAST_LAPS = 3
_LEAST_SECONDS = 10.0  # times are printed to the second
_LEAST_USAGE = 0.1
_MINUTE = 60.0
_PHASES: tuple[Phase, ...] = ("steady", "warmup", "drain")


class Stretched(NamedTuple):
    """A stretch of a run, and its laps."""

    stretch: Stretch
    rows: Rows


def window(run: Run, phases: Sequence[Phase] = _PHASES) -> Stretched | None:
    """Return the longest stretch of the first of the phases that has any: steady, else warm-up, else drain."""
    for phase in phases:
        if stretch := run.turns.longest(phase, run.ended):
            rows = run.rows.between(stretch.begin, stretch.end)
            if len(rows) >= _LEAST_LAPS:
                return Stretched(stretch, rows)
    return None


def burst(run: Run) -> Burst | None:
    """Return what the warm-up was like, where steady state came after it."""
    warmup = window(run, ("warmup",))
    if not warmup or not window(run, ("steady",)):
        return None
    speeds = warmup.rows.speeds()
    return Burst(_window(warmup), max(warmup.rows.column("running")), spread(speeds) if speeds else None)


def _window(stretched: Stretched) -> Window:
    stretch, rows = stretched
    return Window(stretch.phase, stretch.begin, stretch.end, len(rows))


def capacity(run: Run) -> tuple[float | None, str]:
    """Return the tokens that the KV cache holds, all ranks together, and what tells: the line, else used / usage."""
    if run.capacity:
        return run.capacity, "max_total_num_tokens"
    pairs = zip(run.rows.column("used"), run.rows.column("usage"), strict=True)
    found = [used / usage for used, usage in pairs if usage >= _LEAST_USAGE and used]
    return (median(found), "#token / token usage") if found else (None, "")


def work(stretched: Stretched, room: float | None, full_length: float | None) -> Work:
    """Return the figures of a stretch, with `room` for so many tokens.

    `full_length` is the mean number of tokens of a finished request, prompt and answer.
    """
    rows = stretched.rows
    tokens, now = _lengths(rows, room)
    running = spread(rows.column("running"))
    retracted = rows.gain("retracted")
    return Work(
        window=_window(stretched),
        throughput=spread(speeds) if (speeds := rows.speeds()) else None,
        usage=spread(rows.column("usage")),
        running=running,
        queued=spread(rows.column("queued")),
        generated=over_time(partial(rows.total, "generated"), rows.begin, rows.end, _BATCHES)
        if rows.gain("generated") > 0 and rows.seconds >= _LEAST_SECONDS
        else None,
        tokens_per_request=tokens,
        concurrency_now=now,
        share_of_now=running.mean.mean / now if now else None,
        concurrency_at_full_length=room / full_length if room and full_length else None,
        full_length=full_length,
        retractions_per_minute=_per_minute(rows.gain("retractions"), rows.seconds),
        retracted_requests=retracted,
        wasted_tokens=retracted * (tokens or 0.0),
        cache_hit_ratio=_share(rows.gain("cached"), rows.gain("prefilled")),
        prefilled_per_second=rows.gain("prefilled") / rows.seconds if rows.seconds else 0.0,
    )


def _lengths(rows: Rows, room: float | None) -> tuple[float | None, float | None]:
    """Return the tokens per running request, and how many requests of that length fit."""
    used, running = _mean(rows.column("used")), _mean(rows.column("running"))
    if not used or not running:
        return None, None
    return used / running, room * running / used if room else None


def _mean(values: Sequence[float]) -> float:
    return fmean(values) if values else 0.0


def _per_minute(number: float, seconds: float) -> float:
    return number / seconds * _MINUTE if seconds else 0.0


def _share(part: float, rest: float) -> float | None:
    return part / (part + rest) if part + rest else None
