"""Which two runs are compared: a row for each, with its arguments."""

from collections.abc import Callable

from dashboards.compare.run import AFTER, BEFORE, Run
from parts import runs
from parts.looks import unit
from parts.panels import Head, Panel, Size, rows
from parts.queries import Query


def panel() -> Panel:
    """Return the table."""
    head = Head(
        101,
        "Which runs are compared?",
        "A row for each run, with what it was started with. Good: they differ in what you changed and nothing else, and"
        " both were steady for half an hour or more. Bad: minutes, then the means are a matter of luck. An empty cell:"
        " the argument was not given. From the log: server_args=, the line that it is fired up, the phase.",
        "fewer than two runs became ready in this time: widen the time range",
    )
    columns = {"Ready": Query(_of_both(_ready)), "Steady for": Query(_of_both(_steady_seconds))}
    table = rows(head, columns, {"run": "Run", **runs.ARGUMENTS}, Size(24, 4))
    table.override_by_name("Ready", unit("dateTimeAsIso"))
    return table.override_by_name("Steady for", unit("s", 1))


def _of_both(number: Callable[[Run], str]) -> str:
    return " or ".join(f'label_replace({number(run)}, "run", "{run.name}", "", "")' for run in (BEFORE, AFTER))


def _ready(run: Run) -> str:
    return f"1000 * {runs.in_the_time_shown(runs.with_arguments(run.ready()))}"


def _steady_seconds(run: Run) -> str:
    return f"sum_over_time({run.steady()}[$__range:$__interval]) * $__interval_ms / 1000"
