"""The gauges of `sglang_server_*` that a status line reports, and that leave the page when the scheduler is silent."""

from sglang_exporter.metrics.row import Row

_SCHEDULER = ("server", "engine", "dp_rank")
_POOL = (*_SCHEDULER, "pool")


def _reading(name: str, text: str, source: str, labels: tuple[str, ...] = _SCHEDULER) -> Row:
    whole = f"{text} From the log: {source}. Gone when the scheduler falls silent or restarts."
    return Row(f"sglang_server_{name}", "gauge", whole, labels, source)


READINGS: tuple[Row, ...] = (
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
)
