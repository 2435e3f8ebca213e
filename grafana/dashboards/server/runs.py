"""What changed: the runs of the server, each with the arguments that explain its numbers."""

from parts import runs
from parts.links import TO_RUNS_OF_ROW
from parts.looks import absent, link, unit, wide
from parts.panels import Head, Panel, Size, rows
from parts.queries import Query, series

_START = "sglang_server_start_timestamp_seconds"


def panels() -> list[Panel]:
    """Return the one panel."""
    return [_runs()]


def _runs() -> Panel:
    head = Head(
        701,
        "Which arguments has it run with?",
        "A row per start. Good: one start, or one whose change you made; the dashboard SGLang before and after says"
        " what it brought. Bad: many rows with the same arguments, it crashes. An empty cell: the argument was not"
        " given. From the log: server_args= and, of the capacity line, max_total_num_tokens.",
        "no start in this time: the log begins after it",
    )
    started = runs.in_the_time_shown(runs.with_arguments(runs.each("start", _START), "start"))
    fits = runs.in_the_time_shown(runs.each("start", _START, series("sglang_server_capacity_tokens")))
    columns = {"Started": Query(f"1000 * {started}"), "Tokens that fit": Query(fits)}
    panel = rows(
        head, columns, {"server": "Server", "engine": "Engine"}, Size(24, 6), runs.ARGUMENTS | {"instance": "Instance"}
    )
    panel.override_by_name("Started", [*unit("dateTimeAsIso"), *wide(160), *link("Before and after", TO_RUNS_OF_ROW)])
    panel.override_by_name("Engine", absent("none"))
    return panel.override_by_name("Tokens that fit", unit("locale"))
