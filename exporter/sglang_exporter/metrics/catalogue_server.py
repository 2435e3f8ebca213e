"""The metrics of `sglang_server_*`: what the server said in its log."""

from sglang_exporter.metrics.row import Row, Type

_ENGINE = ("server", "engine")
_SCHEDULER = ("server", "engine", "dp_rank")
_POOL = (*_SCHEDULER, "pool")
_GONE = "Gone when the scheduler falls silent or restarts."


def _row(name: str, kind: Type, text: str, labels: tuple[str, ...], source: str) -> Row:
    return Row(f"sglang_server_{name}", kind, text, labels, source)


def _reading(name: str, text: str, source: str, labels: tuple[str, ...] = _SCHEDULER) -> Row:
    """Return the row of a value that a status line reports, and that ages out."""
    return _row(name, "gauge", f"{text} From the log: {source}. {_GONE}", labels, source)


SERVER: tuple[Row, ...] = (
    _reading(
        "gen_throughput_tokens_per_second",
        "Generated tokens per second as the server computed it, unaltered, over the time since its previous"
        " Decode line;"
        " the first line after a pause averages over the pause, so draw the rate of"
        " sglang_server_generated_tokens_total instead. Sum it over ranks.",
        "Decode `gen throughput (token/s)`",
    ),
    _reading(
        "input_throughput_tokens_per_second",
        "Prompt tokens computed per second since the previous Prefill line, idle time included.",
        "Prefill `input throughput (token/s)`",
    ),
    _reading(
        "token_usage_ratio",
        "Share of a KV cache pool that is in use, 0 to 1; evictable cached tokens do not count."
        " pool=kv is always there (the largest of full and swa where only those are printed). Take the"
        " maximum, never a sum.",
        "`token usage`, `full token usage`, `swa token usage`, `mamba usage`, `gpu token usage`, `cpu token usage`",
        _POOL,
    ),
    _reading(
        "used_tokens",
        "Tokens of a KV cache pool that are in use. pool=kv is the full pool where only pools are printed.",
        "Decode `#token`, `#full token`, `#swa token`, `#gpu token`, `#cpu token`",
        _POOL,
    ),
    _reading("mamba_used_slots", "State slots in use of a hybrid state-space model.", "Decode `mamba num`"),
    _reading(
        "running_requests",
        "Requests in the running batch; a Prefill line says how many ran before its own joined.",
        "`#running-req`, last batch line of either kind",
    ),
    _reading("queued_requests", "Requests in the waiting queue.", "`#queue-req`, last batch line of either kind"),
    _row(
        "capacity_tokens",
        "gauge",
        "Tokens that the KV cache holds at most. From the log: `max_total_num_tokens=` at start. Gone at the"
        " next start.",
        _SCHEDULER,
        "capacity line `max_total_num_tokens`",
    ),
    _row(
        "max_running_requests",
        "gauge",
        "Requests that the scheduler lets run at once at most. From the log: the capacity line. Gone at the"
        " next start.",
        _SCHEDULER,
        "capacity line `max_running_requests`",
    ),
    _row(
        "context_length_tokens",
        "gauge",
        "Longest prompt and answer together that the server takes, in tokens. From the log: the capacity line."
        " Gone at the next start.",
        _SCHEDULER,
        "capacity line `context_len`",
    ),
    _row(
        "available_memory_bytes",
        "gauge",
        "Memory left on the device when the server had started. From the log: the capacity line. Gone at the"
        " next start.",
        _SCHEDULER,
        "capacity line `available_gpu_mem`, `available_cpu_mem`",
    ),
    _row(
        "generated_tokens_total",
        "counter",
        "Generated tokens, approximate: `gen throughput (token/s)` times the printed time since the rank's"
        " previous Decode"
        " line, summed (0.985 to 1.006 of the proven tokens on four recordings). Its rate is the speed to"
        " draw and alert on.",
        _SCHEDULER,
        "Decode `gen throughput (token/s)` and printed times",
    ),
    _row(
        "prefill_tokens_total",
        "counter",
        "Prompt tokens computed, retracted requests again. From the log: Prefill `#new-token`.",
        _SCHEDULER,
        "Prefill `#new-token`",
    ),
    _row(
        "cached_tokens_total",
        "counter",
        "Prompt tokens taken from the prefix cache. From the log: Prefill `#cached-token`.",
        _SCHEDULER,
        "Prefill `#cached-token`",
    ),
    _row(
        "replayed_tokens_total",
        "counter",
        "Prompt tokens computed again. From the log: Prefill `#replay-token` (SGLang 0.5.21 and later).",
        _SCHEDULER,
        "Prefill `#replay-token`",
    ),
    _row(
        "prefill_sequences_total",
        "counter",
        "Sequences that entered a prefill batch, retracted ones again and one per chunk. From the log:"
        " Prefill `#new-seq`.",
        _SCHEDULER,
        "Prefill `#new-seq`",
    ),
    _row(
        "retractions_total",
        "counter",
        "Times that the KV cache was full and running requests were sent back to the queue, once per DP group."
        " From the log: the retraction line.",
        _SCHEDULER,
        "retraction lines",
    ),
    _row(
        "retracted_requests_total",
        "counter",
        "Requests that were sent back to the queue and prefill again. From the log: retraction line `#retracted_reqs`.",
        _SCHEDULER,
        "retraction lines `#retracted_reqs`",
    ),
    _reading(
        "cache_hit_ratio", "Prefix cache hits since start, 0 to 1.", "Prefill `cache hit rate` (before SGLang 0.4.3)"
    ),
    _reading("pending_prefill_tokens", "Uncached prompt tokens that still wait.", "Prefill `#pending-token`"),
    _reading(
        "spec_accept_length",
        "Mean tokens per verify step of speculative decoding, not clamped.",
        "Decode `accept len`",
    ),
    _reading(
        "spec_accept_ratio",
        "Accepted share of drafted tokens, not clamped; what it counts differs between SGLang releases.",
        "Decode `accept rate`",
    ),
    _reading("spec_cap_length", "Mean scheduled verify window per step.", "Decode `cap len`"),
    _reading("spec_block_accept_length", "Mean uncapped accept length per verify step.", "Decode `block accept len`"),
    _reading(
        "spec_estimated_uncapped_accept_length",
        "The server's estimate of the accept length without a cap.",
        "Decode `est uncap acc len`",
    ),
    _reading(
        "graph_enabled",
        "1 when the last batch ran in a captured device graph, else 0.",
        "`cuda graph`, `cpu graph`, `npu graph`, `musa graph`",
    ),
    _reading(
        "preallocated_usage_ratio",
        "Share of the KV cache that is reserved for requests in transfer, 0 to 1.",
        "Decode `pre-allocated usage`",
    ),
    _reading("prealloc_requests", "Requests that wait for KV cache on a decode server.", "Decode `#prealloc-req`"),
    _reading("transfer_requests", "Requests whose KV cache is arriving on a decode server.", "Decode `#transfer-req`"),
    _reading("host_receive_requests", "Requests received into host memory.", "Decode `#host-receive-req`"),
    _reading("retracted_queue_requests", "Retracted requests that wait on a decode server.", "Decode `#retracted-req`"),
    _reading(
        "bootstrap_requests",
        "Requests that wait for their connection on a prefill server.",
        "Prefill `#bootstrap-req`, `#unbootstrapped-req`, `#prealloc-req`",
    ),
    _reading(
        "inflight_requests",
        "Requests whose KV cache is being sent by a prefill server.",
        "Prefill `#inflight-req`, `#transferring-req`",
    ),
    _reading("optimistic_requests", "Requests prefilled before their connection stood.", "Prefill `#optimistic-req`"),
    _reading("waiting_image_requests", "Requests that wait for an image encoder.", "`waiting-image-req`"),
    _reading("largest_sequence_tokens", "Longest sequence seen.", "Decode `largest-len` (SGLang 0.4.3 and 0.4.4)"),
    _reading(
        "estimated_decode_flops_per_gpu",
        "The server's model-based estimate of floating point operations per second and GPU in decode.",
        "Decode `est. decode TFLOPS/s (per GPU)`",
    ),
    _reading(
        "estimated_prefill_flops_per_gpu",
        "The server's model-based estimate of floating point operations per second and GPU in prefill.",
        "Prefill `est. prefill TFLOPS/s (per GPU)`",
    ),
    _reading(
        "estimated_read_bytes_per_second_per_gpu",
        "The server's model-based estimate of memory read per second and GPU.",
        "Decode `est. read BW (GB/s per GPU)`",
    ),
    _reading(
        "estimated_write_bytes_per_second_per_gpu",
        "The server's model-based estimate of memory written per second and GPU.",
        "Decode `est. write BW (GB/s per GPU)`",
    ),
    _reading("forward_occupancy_ratio", "Share of time in forward passes, 0 to 1.", "`fwd occupancy`"),
    _reading(
        "forward_and_idle_occupancy_ratio",
        "Share of time in forward passes or with nothing to do, 0 to 1.",
        "`fwd+idle occupancy`",
    ),
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
        "What the server is doing: the phase it is in is 1, the others 0. A silent server is stalled when"
        " its last line had"
        " a queue or fewer requests finished since than it had running, else idle; where neither access"
        " lines nor Finish"
        " lines are logged nothing tells the two apart and it is called idle.",
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
        "last_batch_timestamp_seconds",
        "gauge",
        "When the scheduler last printed a batch line, in seconds since the epoch. Stays when the gauges go.",
        _SCHEDULER,
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
