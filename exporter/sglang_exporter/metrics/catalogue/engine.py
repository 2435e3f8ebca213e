"""The metrics of `sglang_server_*` of each engine as a whole."""

from sglang_exporter.metrics.row import Row, Type

_ENGINE = ("server", "engine")


def _row(name: str, kind: Type, text: str, labels: tuple[str, ...], source: str) -> Row:
    return Row(f"sglang_server_{name}", kind, text, labels, source)


ENGINE: tuple[Row, ...] = (
    _row(
        "http_requests_total",
        "counter",
        "HTTP requests answered. From the log: access lines; handler is from a closed list, else other.",
        (*_ENGINE, "method", "handler", "code"),
        "access lines",
    ),
    _row(
        "errors_total",
        "counter",
        "Incidents by kind; one incident is one, though many ranks print it. From the log: trouble lines.",
        (*_ENGINE, "kind"),
        "trouble lines",
    ),
    _row(
        "starts_total",
        "counter",
        "Starts of the server; a crash loop is many. From the log: `server_args=`.",
        _ENGINE,
        "`server_args=`",
    ),
    _row(
        "start_timestamp_seconds",
        "gauge",
        "When the server last started, in seconds since the epoch. From the log: `server_args=`.",
        _ENGINE,
        "`server_args=`",
    ),
    _row(
        "ready_timestamp_seconds",
        "gauge",
        "When the server last became ready, in seconds since the epoch. From the log: `The server is fired up`."
        " Gone between a start and ready.",
        _ENGINE,
        "`The server is fired up and ready to roll!`",
    ),
    _row(
        "end_timestamp_seconds",
        "gauge",
        "When the last run ended, in seconds since the epoch, and why: requested (SIGTERM, a clean shutdown) or failed."
        " From the log: the first line that tells of the end. Gone while the server runs.",
        (*_ENGINE, "cause"),
        "`SIGTERM received`, uvicorn `Finished server process`, `Gracefully exiting`, crash lines",
    ),
    _row(
        "info",
        "gauge",
        "1, with the arguments of the last start that explain its numbers as labels. From the log: `server_args=`.",
        (
            *_ENGINE,
            "model",
            "kv_cache_dtype",
            "mem_fraction_static",
            "tp_size",
            "dp_size",
            "pp_size",
            "max_running_requests",
            "max_total_tokens",
            "chunked_prefill_size",
            "schedule_policy",
            "schedule_conservativeness",
            "disable_radix_cache",
            "decode_log_interval",
        ),
        "`server_args=`",
    ),
    _row(
        "requests_finished_total",
        "counter",
        "Requests that the server finished, only when it logs requests."
        " From the log: JSON request logs, else `Finish:` lines, else ReqTimeStats; one source per run.",
        _ENGINE,
        "request lines",
    ),
    _row(
        "request_output_tokens_total",
        "counter",
        "Tokens generated for finished requests, only when the server logs requests. From the log: request lines.",
        _ENGINE,
        "request lines",
    ),
    _row(
        "request_input_tokens_total",
        "counter",
        "Prompt tokens of finished requests, only when the server logs requests. From the log: request lines.",
        _ENGINE,
        "request lines",
    ),
    _row(
        "phase",
        "gauge",
        "What the server is doing: the phase it is in is 1, the others 0. Work warms up until its first burst has"
        " worked through and speed and usage are stationary, is then steady, and drains when the queue is empty and"
        " requests leave without being replaced. A silent server is stalled when its last line had a queue or fewer"
        " requests finished since than it had running, else idle; where neither access lines nor Finish lines are"
        " logged nothing tells the two apart and it is called idle.",
        (*_ENGINE, "phase"),
        "batch lines, start and trouble lines, finished requests",
    ),
    _row(
        "schedulers",
        "gauge",
        "Schedulers (DP ranks) by state: live, or silent for longer than their own rhythm of batch lines.",
        (*_ENGINE, "state"),
        "batch lines",
    ),
    _row(
        "last_line_timestamp_seconds",
        "gauge",
        "When the server last printed any line, in seconds since the epoch. Stays when the gauges go.",
        _ENGINE,
        "all lines",
    ),
)
