"""SGLang's words: every line shape and every status field that any release prints, and what becomes of it.

To add a line shape, add a row to `SHAPES`; to add a status field, add a row to `DECODE_FIELDS` or `PREFILL_FIELDS`.
The releases are in the comments where a word came or went. What makes a line whole stands in `whole.py`.
"""

from typing import NamedTuple

_RATIO_OF_PERCENT = 0.01
_GIGA = 1e9
_TERA = 1e12
_COUNTED = ("_requests", "_tokens", "_slots", "_total")


class Field(NamedTuple):
    """One labelled number of a status line.

    `to` is the metric without `sglang_server_` (a name that ends in `_total` is a counter, any other a gauge), empty
    where the number is not exported and `why` says so. The printed value times `scale` is in the metric's unit.
    `printed` is a form of `values.FORMS`, where the metric's unit does not tell how the value is printed.
    """

    to: str
    pool: str = ""
    scale: float = 1.0
    why: str = ""
    printed: str = ""

    @property
    def form(self) -> str:
        """How the value is printed: what is counted without decimals, a share of a hundred with a percent sign."""
        if self.printed or not self.to:
            return self.printed or "any"
        if self.scale == _RATIO_OF_PERCENT:
            return "percent"
        return "count" if self.to.endswith(_COUNTED) else "decimal"


class Shape(NamedTuple):
    """One kind of line: the message starts with `opener`, and `reader` makes the fields of it.

    Where the opener alone does not tell, `word` follows somewhere near. Readers are in `status.py` and `message.py`.
    """

    opener: bytes
    kind: str
    reader: str = "nothing"
    word: bytes = b""


_SHARED_FIELDS: dict[str, Field] = {
    "#running-req": Field("running_requests"),
    "#queue-req": Field("queued_requests"),
    "token usage": Field("token_usage_ratio", "kv"),
    "full token usage": Field("token_usage_ratio", "full"),  # 0.4.9.post3+, hybrid models
    "swa token usage": Field("token_usage_ratio", "swa"),
    "mamba usage": Field("token_usage_ratio", "mamba"),  # 0.5.3.post2+
    "gpu token usage": Field("token_usage_ratio", "gpu"),  # 0.5.11+, HiSparse
    "cpu token usage": Field("token_usage_ratio", "cpu"),
    "#token": Field("used_tokens", "kv"),
    "#full token": Field("used_tokens", "full"),
    "#swa token": Field("used_tokens", "swa"),
    "#gpu token": Field("used_tokens", "gpu"),
    "#cpu token": Field("used_tokens", "cpu"),
    "mamba num": Field("mamba_used_slots"),
    "waiting-image-req": Field("waiting_image_requests"),  # 0.5.9+
    "cuda graph": Field("graph_enabled", printed="flag"),
    "cpu graph": Field("graph_enabled", printed="flag"),
    "npu graph": Field("graph_enabled", printed="flag"),
    "musa graph": Field("graph_enabled", printed="flag"),
    "fwd occupancy": Field("forward_occupancy_ratio", scale=_RATIO_OF_PERCENT),  # 0.5.11+
    "fwd+idle occupancy": Field("forward_and_idle_occupancy_ratio", scale=_RATIO_OF_PERCENT),  # 0.5.21+
    "timestamp": Field("", why="the line's own time once more (0.4.9.post1 and .post2)", printed="instant"),
}

DECODE_FIELDS: dict[str, Field] = {
    **_SHARED_FIELDS,
    "gen throughput (token/s)": Field("gen_throughput_tokens_per_second"),
    "accept len": Field("spec_accept_length"),
    "accept rate": Field("spec_accept_ratio"),
    "cap len": Field("spec_cap_length"),  # 0.5.16+
    "block accept len": Field("spec_block_accept_length"),
    "est uncap acc len": Field("spec_estimated_uncapped_accept_length", printed="estimate"),
    "pre-allocated usage": Field("preallocated_usage_ratio"),
    "#prealloc-req": Field("prealloc_requests"),
    "#transfer-req": Field("transfer_requests"),
    "#host-receive-req": Field("host_receive_requests"),  # 0.5.21+
    "#retracted-req": Field("retracted_queue_requests"),  # a queue's length now, not a count of events
    "largest-len": Field("largest_sequence_tokens"),  # 0.4.3.post3 to 0.4.4.post1
    "est. decode TFLOPS/s (per GPU)": Field("estimated_decode_flops_per_gpu", scale=_TERA),
    "est. read BW (GB/s per GPU)": Field("estimated_read_bytes_per_second_per_gpu", scale=_GIGA),
    "est. write BW (GB/s per GPU)": Field("estimated_write_bytes_per_second_per_gpu", scale=_GIGA),
}

PREFILL_FIELDS: dict[str, Field] = {
    **_SHARED_FIELDS,
    "#new-seq": Field("prefill_sequences_total"),
    "#new-token": Field("prefill_tokens_total"),
    "#cached-token": Field("cached_tokens_total"),
    "#replay-token": Field("replayed_tokens_total"),  # 0.5.21+
    "#pending-token": Field("pending_prefill_tokens"),  # 0.5.11+
    "cache hit rate": Field("cache_hit_ratio", scale=_RATIO_OF_PERCENT),  # up to 0.4.3.post2
    "mixed #running-req": Field("running_requests"),  # 0.2.14 to 0.3.5
    "input throughput (token/s)": Field("input_throughput_tokens_per_second"),
    "#bootstrap-req": Field("bootstrap_requests"),  # 0.5.12+
    "#prealloc-req": Field("bootstrap_requests"),  # 0.5.3 to 0.5.11: the same queue under a decode server's name
    "#unbootstrapped-req": Field("bootstrap_requests"),  # 0.4.6 to 0.5.2
    "#inflight-req": Field("inflight_requests"),
    "#transferring-req": Field("inflight_requests"),
    "#optimistic-req": Field("optimistic_requests"),  # 0.5.16+
    "est. prefill TFLOPS/s (per GPU)": Field("estimated_prefill_flops_per_gpu", scale=_TERA),
    "time": Field("", why="the pause since the previous Prefill line, which the times tell (0.4.7)", printed="decimal"),
    # 0.1.3 to 0.1.16
    "#seq": Field("prefill_sequences_total"),
    "#new_token": Field("prefill_tokens_total"),
    "#cached_token": Field("cached_tokens_total"),
    "#running_req": Field("running_requests"),
    "#remaining_req": Field("queued_requests"),
    "tree_cache_hit_rate": Field("cache_hit_ratio", scale=_RATIO_OF_PERCENT),
}

STATUS_FIELDS = {"decode": DECODE_FIELDS, "prefill": PREFILL_FIELDS}

CAPACITY_FIELDS: dict[str, Field] = {
    "max_total_num_tokens": Field("capacity_tokens"),
    "max_total_num_token": Field("capacity_tokens"),  # up to 0.1.15
    "max_running_requests": Field("max_running_requests"),  # 0.1.24+
    "context_len": Field("context_length_tokens"),
    "available_gpu_mem": Field("available_memory_bytes", scale=_GIGA, printed="gigabytes"),  # 0.4.7+
    "available_cpu_mem": Field("available_memory_bytes", scale=_GIGA, printed="gigabytes"),  # 0.5.2+
    "chunked_prefill_size": Field("", why="a label of `server_info`", printed="limit"),  # 0.4.2+
    "max_prefill_tokens": Field("", why="an argument of the start", printed="count"),
    "max_prefill_num_token": Field("", why="an argument of the start", printed="count"),  # up to 0.1.15
}

RETRACTION_FIELDS: dict[str, Field] = {
    "#retracted_reqs": Field("retracted_requests_total"),
    "#aborted_retracted_reqs": Field("", why="part of `#retracted_reqs`"),  # 0.5.3 to 0.5.4.post1
    "#new_token_ratio": Field("", why="the scheduler's guess of lengths, of no use outside of it", printed="change"),
    "#new_tokens_gained": Field("", why="told by the next status line's usage"),  # 0.5.7+
    "#mamba_num_gained": Field("", why="told by the next status line's usage"),  # 0.5.11+
}

# Tags that the prefix prints before a rank, DP always first.
RANKS: tuple[str, ...] = ("DP", "PP", "ATTN_CP", "MOE_DP", "TP", "EP")

SHAPES: tuple[Shape, ...] = (
    Shape(b"Decode batch", "decode", "batch"),
    Shape(b"#running-req: ", "decode", "old_decode"),  # 0.1.3 to 0.1.16, no head
    Shape(b"Prefill batch", "prefill", "batch"),
    Shape(b"Prefil batch", "prefill", "first_batch"),  # 0.1.17
    Shape(b"new fill batch. ", "prefill", "old_prefill"),  # up to 0.1.16
    Shape(b"max_total_num_tokens=", "capacity", "capacity"),
    Shape(b"max_total_num_token=", "capacity", "capacity"),
    Shape(b"KV Cache is allocated.", "kv_cache", "sizes"),
    Shape(b"KV Cache VA upper bound.", "kv_cache", "sizes"),  # 0.5.18+: an address range, not the capacity
    Shape(b"KV Cache skipped", "kv_cache_skipped"),
    Shape(b"Post-capture KV sizing: KV cache allocated.", "kv_cache", "sizes"),
    Shape(b"server_args=", "server_args", "arguments"),
    Shape(b"server_args: ", "server_args", "arguments"),  # up to 0.1.22
    Shape(b"Init ", "init"),
    Shape(b"Load weight begin.", "load_begin"),
    Shape(b"Load weight end.", "load_end"),
    Shape(b"Memory pool end.", "memory_pool_end"),
    Shape(b"Capture ", "graph_begin", word=b" graph begin."),  # `Capture target decode cuda graph begin.`
    Shape(b"Capture ", "graph_end", word=b" graph end."),
    Shape(b"The server is fired up and ready to roll!", "ready"),
    Shape(b"Decode out of memory happened", "retract", "retraction"),  # 0.2.14 to 0.4.6
    Shape(b"decode out of memory happened", "retract", "retraction"),  # up to 0.2.13
    Shape(b"KV cache pool is full. Retract requests.", "retract", "retraction"),  # 0.4.7+
    Shape(b"Testing retraction.", "retract", "retraction"),
    Shape(b"Prefill out of memory.", "out_of_memory"),
    Shape(b"Decode out of memory.", "out_of_memory"),
    Shape(b"torch.OutOfMemoryError:", "out_of_memory"),
    Shape(b"torch.cuda.OutOfMemoryError:", "out_of_memory"),
    Shape(b"Scheduler hit an exception:", "scheduler_exception"),
    Shape(b"DataParallelController hit an exception:", "process_exception"),
    Shape(b"DetokenizerManager hit an exception:", "process_exception"),
    Shape(b"TokenizerManager hit an exception:", "process_exception"),
    Shape(b"TpModelWorkerClient hit an exception:", "process_exception"),
    Shape(b"Exception in ModelRpcClient:", "scheduler_exception"),  # up to 0.3
    Shape(b"Exception in ModelTpServer:", "scheduler_exception"),
    Shape(b"Watchdog timeout (", "watchdog"),  # 0.3.5 to 0.5.6
    Shape(b"Scheduler watchdog timeout (", "watchdog"),  # 0.5.7+
    Shape(b"TokenizerManager watchdog timeout (", "watchdog"),
    Shape(b"DetokenizerManager watchdog timeout (", "watchdog"),
    Shape(b"Subprocess ", "subprocess_crashed", word=b" crashed with exit code "),
    Shape(b"Received sigquit from a child proces", "sigquit"),  # "proces" up to 0.4.2
    Shape(b"SIGQUIT received.", "sigquit"),
    Shape(b"SIGTERM received.", "sigterm"),
    Shape(b"Gracefully exiting...", "draining", "draining"),  # each 5 s; up to 0.4.10 the last word of all
    Shape(b"Health check failed.", "health_check_failed"),
    Shape(b"Detected errors during sampling! NaN", "nan"),  # up to 0.5.12
    Shape(b"NaN detected in ", "nan"),  # 0.5.14+
    Shape(b"NCCL error", "nccl"),
    Shape(b"[rank", "nccl", word=b"]:[E"),  # PyTorch's own: `[rank1]:[E909 08:45:30.12 ProcessGroupNCCL.cpp:2252] ...`
    Shape(b"RuntimeError: NCCL error", "nccl"),
    Shape(b"torch.distributed.DistBackendError: NCCL error", "nccl"),
    Shape(b"RuntimeError: CUDA error", "cuda_error"),
    Shape(b"torch.AcceleratorError: CUDA error", "cuda_error"),
    Shape(b"Prefill transfer failed", "transfer_failed"),
    Shape(b"Prefill bootstrap failed", "transfer_failed"),
    Shape(b"Decode handshake failed", "transfer_failed"),
    Shape(b"Decode transfer failed", "transfer_failed"),
    Shape(b"Cache flushed successfully!", "cache_flushed"),
    Shape(b"Cache not flushed because", "flush_refused"),  # prints status labels, and is no status line
    Shape(b"Receive: obj=", "request_received"),
    Shape(b"Receive OpenAI: obj=", "request_received"),
    Shape(b"Finish: obj=", "request_finished", "finished"),
    Shape(b"in=", "request_finished", "finished"),  # up to 0.4.0
    Shape(b"Req Time Stats(", "req_time_stats", "time_stats"),  # 0.4.6.post5 to 0.5.11
    Shape(b"ReqTimeStats(", "req_time_stats", "time_stats"),  # 0.5.12+
    Shape(b'{"timestamp": "', "json", "json"),  # 0.5.7+
    Shape(b"INFO:     ", "uvicorn", "uvicorn"),
)

# Kinds that are looked for behind the head of a logger's own format as well.
TOLD_BEHIND_A_HEAD: frozenset[str] = frozenset(
    ("decode", "prefill", "capacity", "server_args", "ready", "retract", "scheduler_exception", "sigquit", "watchdog")
)

# What a pool's label may stand before, as in `Draft KV Cache is allocated.`
LABELLED = b" KV Cache "
# Arguments that explain the numbers, as SGLang names them; the others may hold secrets and are not kept.
SERVER_ARGUMENTS: tuple[str, ...] = (
    "model_path",
    "served_model_name",
    "kv_cache_dtype",
    "mem_fraction_static",
    "tp_size",
    "dp_size",
    "pp_size",
    "nnodes",
    "node_rank",
    "max_running_requests",
    "max_total_tokens",
    "chunked_prefill_size",
    "schedule_policy",
    "schedule_conservativeness",
    "disable_radix_cache",
    "decode_log_interval",
    "context_length",
    "quantization",
    "attention_backend",
    "speculative_algorithm",
    "disaggregation_mode",
    "log_requests",
    "log_requests_level",
    "log_level_http",
    "export_metrics_to_file",
    "enable_metrics",
)

# Paths of SGLang's HTTP server that generate, and the others that are worth a name; any other is `other`.
GENERATING_HANDLERS: frozenset[str] = frozenset(
    (
        "/generate",
        "/v1/completions",
        "/v1/chat/completions",
        "/v1/responses",
        "/v1/messages",
        "/api/chat",
        "/api/generate",
    )
)
HANDLERS: frozenset[str] = GENERATING_HANDLERS | frozenset(
    (
        "/metrics",
        "/health",
        "/health_generate",
        "/v1/models",
        "/v1/embeddings",
        "/v1/rerank",
        "/v1/score",
        "/v1/loads",
        "/encode",
        "/classify",
        "/flush_cache",
        "/get_model_info",
        "/model_info",
        "/get_server_info",
        "/server_info",
        "/get_load",
        "/abort_request",
    )
)
METHODS: frozenset[str] = frozenset(("GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH"))
