"""How fast the job is: completions, and tokens as the files prove and as the server reports them."""

from dashboards.job import numbers
from parts.looks import bare, dashed, shades
from parts.panels import HALF, Head, Panel, graph
from parts.queries import Query, rate, series


def panels() -> list[Panel]:
    """Return the panels from left to right."""
    return [_against_reported(), _pace()]


def _against_reported() -> Panel:
    head = Head(
        301,
        "Do report and proof agree?",
        "Green: tokens that the servers of the exporter say they generate. Blue: tokens of the answers that arrived,"
        " over the window chosen above. Good: blue follows green, later by the length of an answer. Blue far below"
        " for long: work is thrown away (retractions, failures, clients that hung up), or others are served too. From"
        " the log: gen throughput (token/s). From the output files: usage.",
        "no Decode line and no completion in this time",
    )
    reported = f"sum by (instance) ({rate(series('sglang_server_generated_tokens_total'))})"
    proven = f"sum by (instance) ({numbers.tokens()})"
    queries = [Query(reported, "{{instance}} reported"), Query(proven, "{{instance}} proven, $window")]
    panel = graph(head, "suffix: tok/s", queries, HALF).decimals(0)
    return panel.override_by_query("A", shades("green")).override_by_query("B", [*shades("blue"), *bare()])


def _pace() -> Panel:
    head = Head(
        302,
        "How fast do answers arrive?",
        "Completions per second over the window chosen above; dashed, their mean over the time shown. Good: level. It"
        " falls where answers are long and rises where they are short, so look at their length too."
        " From the output files, by when the bytes arrived.",
        "no window has passed yet",
    )
    over_all = series("sglang_job_completions_per_second", numbers.WINDOW)
    mean = f"sum by (instance, dataset) (avg_over_time({over_all}[$__range] @ end()))"
    queries = [
        Query(numbers.gauge("completions_per_second", numbers.WINDOW), "{{dataset}} in $window"),
        Query(mean, "{{dataset}} mean"),
    ]
    panel = graph(head, "suffix: /s", queries, HALF).decimals(2)
    return panel.override_by_query("A", shades("blue")).override_by_query("B", [*shades("text"), *dashed()])
