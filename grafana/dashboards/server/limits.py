"""What holds the server back: KV cache, queue, retractions, prefill."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.common import GraphThresholdsStyleMode, StackingMode

from parts.looks import bare, dashed, filled, fixed, on_the_right, shades, share_on_the_right, thin, unstacked
from parts.panels import HALF, Head, Panel, graph, steps
from parts.queries import Query, by, lately, over_servers, per_minute, rate, series, where_known

KNOWN_FROM = 0.5
"""Share of the KV cache from which on the mean length of what runs says how many more would fit."""
BINDING = 0.9
"""Share of max_running_requests from which on it is what holds the server back."""


def panels() -> list[Panel]:
    """Return the panels from left to right, top to bottom."""
    return [_kv_cache(), _requests(), _retractions(), _prefill()]


def _kv_cache() -> Panel:
    head = Head(
        301,
        "How full is the KV cache?",
        "Share of each pool that is in use; the dashed line is where the alert begins (0.9, or as configured). Good in"
        " a batch job: around the line, with a queue. Bad: above it with many retractions, too many requests run; far"
        " below it with a queue, the scheduler is too careful. From the log: token usage, and full, swa, mamba usage"
        " where the model has such pools.",
        "the server was silent in this time",
    )
    usage = by("server, pool", "max", series("sglang_server_token_usage_ratio"))
    line = over_servers("max", "sglang_exporter_alert_threshold", 'alert="kv_cache_saturated"')
    panel = graph(
        head, "percentunit", [Query(usage, "{{server}} {{pool}}"), Query(line, "{{server}} alert line")], HALF
    )
    return panel.max(1).override_by_query("B", [*fixed("red"), *dashed()])


def _requests() -> Panel:
    head = Head(
        302,
        "How many requests run, and how many fit?",
        "Dashed: as many as fit into the KV cache at their present mean length. Good in a batch job: running close to"
        " that line, and a queue that is never empty. Bad: far below it with a queue, the scheduler is too careful; no"
        " queue and few running, the client is too slow. Red: max_running_requests, where it binds. From the log:"
        " #running-req, #queue-req, #token of the batch lines; max_total_num_tokens, max_running_requests at start.",
        "the server was silent in this time",
    )
    queries = [
        Query(over_servers("sum", "sglang_server_running_requests"), "{{server}} running"),
        Query(over_servers("sum", "sglang_server_queued_requests"), "{{server}} queued"),
        Query(fit(), "{{server}} fit now"),
        Query(_most_allowed(), "{{server}} allowed"),
    ]
    panel = graph(head, "short", queries, HALF).decimals(0)
    panel.override_by_query("A", shades("green")).override_by_query("B", [*shades("orange"), *bare()])
    panel.override_by_query("C", [*shades("text"), *dashed()])
    return panel.override_by_query("D", [*shades("red"), *bare()])


def fit() -> str:
    """Return the concurrency now of each server; none while so little is in use that it would be a guess."""
    used = series("sglang_server_used_tokens", 'pool="kv"')
    capacity = series("sglang_server_capacity_tokens")
    each = f"{capacity} * {series('sglang_server_running_requests')} / ignoring (pool) ({used} > 0)"
    known = f"{over_servers('max', 'sglang_server_token_usage_ratio')} >= {KNOWN_FROM}"
    return f"{by('server', 'sum', each)} and on (instance, server) ({known})"


def _most_allowed() -> str:
    allowed = over_servers("sum", "sglang_server_max_running_requests")
    return f"{allowed} <= {1 / BINDING:.2f} * {over_servers('sum', 'sglang_server_running_requests')}"


def _retractions() -> Panel:
    head = Head(
        303,
        "How much work is thrown back?",
        "Requests sent back to the queue because the KV cache was full, and the tokens they held, which are computed"
        " again (estimated by the mean length of a running one). Good: at most about one retraction a minute (dashed),"
        " that is no loss. Bad: many more, the scheduler lets in too many: raise --schedule-conservativeness or lower"
        " --max-running-requests. From the log: retraction lines, #retracted_reqs.",
        "no batch line yet",
    )
    retractions = by("server", "sum", per_minute(series("sglang_server_retractions_total")))
    requests = by("server", "sum", per_minute(series("sglang_server_retracted_requests_total")))
    queries = [
        Query(requests, "{{server}} requests"),
        Query(retractions, "{{server}} retractions"),
        Query(_thrown_back(), "{{server}} tokens computed again"),
    ]
    panel = graph(head, "suffix:/min", queries, HALF)
    panel.thresholds(steps("transparent", (1, "orange")))
    panel.thresholds_style(common.GraphThresholdsStyleConfig().mode(GraphThresholdsStyleMode.DASHED))
    panel.override_by_query("A", [*shades("orange"), *filled()]).override_by_query("B", [*shades("red"), *thin()])
    return panel.override_by_query("C", [*shades("purple"), *on_the_right("suffix: tok/s"), *thin()])


def _thrown_back() -> str:
    requests = by("server", "sum", rate(series("sglang_server_retracted_requests_total")))
    used = by("server", "sum", lately(series("sglang_server_used_tokens", 'pool="kv"')))
    running = by("server", "sum", lately(series("sglang_server_running_requests")))
    return where_known(f"{requests} * {used} / {running}")


def _prefill() -> Panel:
    head = Head(
        304,
        "How much of the prompts was cached?",
        "Prompt tokens that were computed and those that the prefix cache had, stacked, and the cache's share. Good: a"
        " high share where prompts begin alike. A share that falls with a full KV cache: prefixes are evicted."
        " From the log: #new-token and #cached-token of the Prefill lines, retracted requests again.",
        "no Prefill line yet",
    )
    computed = by("server", "sum", rate(series("sglang_server_prefill_tokens_total")))
    cached = by("server", "sum", rate(series("sglang_server_cached_tokens_total")))
    queries = [
        Query(computed, "{{server}} computed"),
        Query(cached, "{{server}} from cache"),
        Query(where_known(f"{cached} / ({cached} + {computed})"), "{{server}} cache's share"),
    ]
    panel = graph(head, "suffix: tok/s", queries, HALF)
    panel.stacking(common.StackingConfig().mode(StackingMode.NORMAL)).fill_opacity(30)
    panel.override_by_query("A", shades("purple")).override_by_query("B", shades("green"))
    return panel.override_by_query("C", [*shades("text"), *share_on_the_right(), *dashed(), *unstacked()])
