"""The metrics of `sglang_server_*` of each scheduler that stay: its limits, counters and times."""

from sglang_exporter.metrics.row import Row, Type

_SCHEDULER = ("server", "engine", "dp_rank")


_LOWER_BOUND = (
    ' A lower bound where sglang_exporter_unrecognised_lines_total{reason="repeated"} rises, for Ray drops lines.'
)


def _row(name: str, kind: Type, text: str, source: str) -> Row:
    whole = text + _LOWER_BOUND if kind == "counter" else text
    return Row(f"sglang_server_{name}", kind, whole, _SCHEDULER, source)


SCHEDULER: tuple[Row, ...] = (
    _row(
        "capacity_tokens",
        "gauge",
        "Tokens that the KV cache holds at most. From the log: `max_total_num_tokens=` at start. Gone at the"
        " next start.",
        "capacity line `max_total_num_tokens`",
    ),
    _row(
        "max_running_requests",
        "gauge",
        "Requests that the scheduler lets run at once at most. From the log: the capacity line. Gone at the"
        " next start.",
        "capacity line `max_running_requests`",
    ),
    _row(
        "context_length_tokens",
        "gauge",
        "Longest prompt and answer together that the server takes, in tokens. From the log: the capacity line."
        " Gone at the next start.",
        "capacity line `context_len`",
    ),
    _row(
        "available_memory_bytes",
        "gauge",
        "Memory left on the device when the server had started. From the log: the capacity line. Gone at the"
        " next start.",
        "capacity line `available_gpu_mem`, `available_cpu_mem`",
    ),
    _row(
        "generated_tokens_total",
        "counter",
        "Generated tokens, approximate: `gen throughput (token/s)` times the printed time since the rank's"
        " previous Decode"
        " line, summed (0.985 to 1.006 of the proven tokens on four recordings). Its rate is the speed to"
        " draw and alert on.",
        "Decode `gen throughput (token/s)` and printed times",
    ),
    _row(
        "prefill_tokens_total",
        "counter",
        "Prompt tokens computed, retracted requests again. From the log: Prefill `#new-token`.",
        "Prefill `#new-token`",
    ),
    _row(
        "cached_tokens_total",
        "counter",
        "Prompt tokens taken from the prefix cache. From the log: Prefill `#cached-token`.",
        "Prefill `#cached-token`",
    ),
    _row(
        "replayed_tokens_total",
        "counter",
        "Prompt tokens computed again. From the log: Prefill `#replay-token` (SGLang 0.5.21 and later).",
        "Prefill `#replay-token`",
    ),
    _row(
        "prefill_sequences_total",
        "counter",
        "Sequences that entered a prefill batch, retracted ones again and one per chunk. From the log:"
        " Prefill `#new-seq`.",
        "Prefill `#new-seq`",
    ),
    _row(
        "retractions_total",
        "counter",
        "Times that the KV cache was full and running requests were sent back to the queue, once per DP group."
        " From the log: the retraction line.",
        "retraction lines",
    ),
    _row(
        "retracted_requests_total",
        "counter",
        "Requests that were sent back to the queue and prefill again. From the log: retraction line `#retracted_reqs`.",
        "retraction lines `#retracted_reqs`",
    ),
    _row(
        "last_batch_timestamp_seconds",
        "gauge",
        "When the scheduler last printed a batch line, in seconds since the epoch. Stays when the gauges go.",
        "batch lines",
    ),
)
