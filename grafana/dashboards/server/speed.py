"""Throughput: what the server says it generates, and what the output files prove."""

from parts.looks import dashed, shades, thin
from parts.panels import WHOLE, Head, Panel, graph
from parts.queries import Query, by, over_servers, rate, series

_WINDOW = 'window="$window"'


def panels() -> list[Panel]:
    """Return the one panel that has it all."""
    return [_throughput()]


def _throughput() -> Panel:
    head = Head(
        201,
        "How fast does it generate?",
        "Good: level, and log and files agree. The files come later by the length of an answer, and know nothing of"
        " requests that are still running. Files far below the log for long: work is thrown away (retractions, clients"
        " that hung up), or another client is served. Green, from the log: gen throughput (token/s); the thin line is"
        " the printed value, which averages over a pause, so trust the thick one. Blue, from the output files: tokens"
        " of completions over the window; dashed where the records carry no count and an average stands in.",
        "no Decode line and no completion in this time",
    )
    printed = over_servers("sum", "sglang_server_gen_throughput_tokens_per_second")
    measured = by("server", "sum", rate(series("sglang_server_generated_tokens_total")))
    queries = [
        Query(printed, "{{server}} log: as printed"),
        Query(measured, "{{server}} log: rate"),
        Query(_proven("sglang_job_output_tokens_per_second"), "{{dataset}} files: exact, $window"),
        Query(_proven("sglang_job_estimated_output_tokens_per_second"), "{{dataset}} files: estimated, $window"),
    ]
    panel = graph(head, "suffix: tok/s", queries, WHOLE).decimals(0)
    panel.override_by_query("A", [*shades("super-light-green"), *thin()]).override_by_query("B", shades("green"))
    panel.override_by_query("C", shades("blue"))
    return panel.override_by_query("D", [*shades("light-blue"), *dashed()])


def _proven(metric: str) -> str:
    return by("dataset", "sum", series(metric, _WINDOW))
