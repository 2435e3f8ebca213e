"""Throughput: what the server says it generates, what the output files prove, and what one request gets of it."""

from parts.looks import dashed, on_the_right, shades, thin
from parts.panels import HALF, WHOLE, Head, Panel, graph
from parts.queries import Query, beside_servers, by, lately, over_servers, rate, series, where_known

_WINDOW = 'window="$window"'


def panels() -> list[Panel]:
    """Return the panels from left to right, top to bottom."""
    return [_throughput(), _per_request(), _speculation()]


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
    queries = [
        Query(printed, "{{server}} log: as printed"),
        Query(_measured(), "{{server}} log: rate"),
        Query(_proven("sglang_job_output_tokens_per_second"), "{{dataset}} files: exact, $window"),
        Query(_proven("sglang_job_estimated_output_tokens_per_second"), "{{dataset}} files: estimated, $window"),
    ]
    panel = graph(head, "suffix: tok/s", queries, WHOLE).decimals(0)
    panel.override_by_query("A", [*shades("super-light-green"), *thin()]).override_by_query("B", shades("green"))
    panel.override_by_query("C", shades("blue"))
    return panel.override_by_query("D", [*shades("light-blue"), *dashed()])


def _per_request() -> Panel:
    head = Head(
        202,
        "How fast is it for one request?",
        "Tokens per second that a running request gets. It falls as more run at once and as answers grow: that is the"
        " price of throughput. Good for people who wait: above their reading speed, about 10. Bad: a fall with no more"
        " requests running, something got slower. From the log: gen throughput (token/s) over #running-req.",
        "no Decode line in this time",
    )
    running = by("server", "sum", lately(series("sglang_server_running_requests")))
    panel = graph(head, "suffix: tok/s", [Query(where_known(f"{_measured()} / {running}"), "{{server}}")], HALF)
    return panel.decimals(1).override_by_query("A", shades("green"))


def _speculation() -> Panel:
    head = Head(
        203,
        "How well does speculation guess?",
        "Tokens that one verify step of speculative decoding yields, and the accepted share of the drafted ones."
        " Good: a length well above 1, and level. Bad: close to 1, the draft costs more than it brings. From the log:"
        " accept len and accept rate of the Decode lines, not clamped; what the rate counts differs between releases.",
        "no speculative decoding in this time",
    )
    queries = [
        Query(over_servers("avg", "sglang_server_spec_accept_length"), "{{server}} length"),
        Query(over_servers("avg", "sglang_server_spec_accept_ratio"), "{{server}} accepted"),
    ]
    panel = graph(head, "suffix: tok", queries, HALF).decimals(2).override_by_query("A", shades("green"))
    return panel.override_by_query("B", [*shades("text"), *on_the_right("percentunit"), *dashed()])


def _measured() -> str:
    return by("server", "sum", rate(series("sglang_server_generated_tokens_total")))


def _proven(metric: str) -> str:
    return by("dataset", "sum", beside_servers(series(metric, _WINDOW)))
