"""The DP ranks side by side."""

from grafana_foundation_sdk.builders import common
from grafana_foundation_sdk.models.common import GraphThresholdsStyleMode

from parts.looks import absent, share_bar, unit
from parts.panels import THIRD, Head, Panel, Size, graph, rows, steps
from parts.queries import Operation, Query, by, lately, rate, series, where_known

_SPEED = rate(series("sglang_server_generated_tokens_total"))
_RANKED = 'dp_rank!=""'
_USAGE = series("sglang_server_token_usage_ratio", 'pool!="cpu"')


def panels() -> list[Panel]:
    """Return the table, and below it the graphs from left to right."""
    return [_now(), _imbalance(), _speed(), _kv_cache()]


def _now() -> Panel:
    head = Head(
        601,
        "What does each rank do now?",
        "A row per scheduler: one without data parallelism, else one per DP rank. Good: rows alike. A silent rank whose"
        " last line is old while its sisters work is dead, though the HTTP server may still answer. From the log: the"
        " rank's last batch lines.",
        "silent",
    )
    columns = {
        "Running": Query(_each("sum", series("sglang_server_running_requests"))),
        "Queued": Query(_each("sum", series("sglang_server_queued_requests"))),
        "KV cache": Query(_each("max", _USAGE)),
        "Speed": Query(_each("sum", _SPEED)),
        "Last batch line": Query(f"time() - {_each('max', series('sglang_server_last_batch_timestamp_seconds'))}"),
    }
    names = {"server": "Server", "engine": "Engine", "dp_rank": "DP rank"}
    panel = rows(head, columns, names, Size(24, 6), {"instance": "Instance"})
    panel.override_by_name("Engine", absent("none")).override_by_name("DP rank", absent("none"))
    panel.override_by_name("KV cache", share_bar("green", (0.9, "orange"))).override_by_name(
        "Speed", unit("suffix: tok/s")
    )
    return panel.override_by_name("Last batch line", unit("suffix: s ago"))


def _imbalance() -> Panel:
    head = Head(
        604,
        "How far are the ranks apart?",
        "The busiest rank over the mean of all: of requests that run, of speed, of KV cache in use. Good: close to 1."
        " Bad: above 1.3 (dashed) for long, requests are handed out badly, see --load-balance-method; the others wait"
        " for the slowest where ranks work in step. From the log: #running-req, gen throughput and token usage by"
        " rank.",
        "no DP ranks, or the server was silent in this time",
    )
    queries = [
        Query(_spread(lately(series("sglang_server_running_requests", _RANKED))), "{{server}} running"),
        Query(_spread(rate(series("sglang_server_generated_tokens_total", _RANKED))), "{{server}} speed"),
        Query(_spread(lately(series("sglang_server_token_usage_ratio", _RANKED, 'pool="kv"'))), "{{server}} KV cache"),
    ]
    panel = graph(head, "suffix: x", queries, THIRD).decimals(2).fill_opacity(0)
    panel.thresholds(steps("transparent", (1.3, "orange")))
    return panel.thresholds_style(common.GraphThresholdsStyleConfig().mode(GraphThresholdsStyleMode.DASHED))


def _speed() -> Panel:
    head = Head(
        602,
        "How fast is each rank?",
        "Tokens generated per second by rank. Good: lines close together. One far below the others gets less work, or"
        " is slower; one at 0 while the others work is dead. From the log: gen throughput times the time since the"
        " rank's previous Decode line.",
        "no Decode line yet",
    )
    return graph(head, "suffix: tok/s", [_by_rank("sum", _SPEED)], THIRD).decimals(0).fill_opacity(0)


def _kv_cache() -> Panel:
    head = Head(
        603,
        "How full is each rank's KV cache?",
        "The fullest pool of each rank. Good: lines close together; ranks far apart mean that the load balancing sends"
        " long requests to the same ones. From the log: token usage of the rank's batch lines.",
        "the server was silent in this time",
    )
    return graph(head, "percentunit", [_by_rank("max", _USAGE)], THIRD).max(1).fill_opacity(0)


def _spread(vector: str) -> str:
    return where_known(f"{by('server', 'max', vector)} / {by('server', 'avg', vector)}")


def _each(operation: Operation, vector: str) -> str:
    return by("server, engine, dp_rank", operation, vector)


def _by_rank(operation: Operation, vector: str) -> Query:
    """Return the series of each rank under one label: engine and dp_rank are not always there."""
    named = f'label_join({_each(operation, vector)}, "rank", " ", "server", "engine", "dp_rank")'
    return Query(named, "{{rank}}")
