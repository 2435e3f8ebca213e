"""What a line of a log means, in words, and what keeps one from being understood."""

from collections.abc import Mapping

from sglang_exporter.serverlog.events import Event, Value

_WORDS: dict[str, str] = {
    "server_args": "the server starts; what belonged to the run before ends here",
    "capacity": "the KV cache holds {max_total_num_tokens:,} tokens",
    "kv_cache": "memory for the KV cache is laid out",
    "kv_cache_skipped": "this process has no KV cache",
    "init": "the processes of the server find each other",
    "load_begin": "the weights are being loaded",
    "load_end": "the weights are loaded",
    "memory_pool_end": "memory is laid out",
    "graph_begin": "device graphs are being captured",
    "graph_end": "device graphs are captured",
    "ready": "the server is ready",
    "retract": "the KV cache is full: {#retracted_reqs} running requests go back to the queue and prefill again",
    "out_of_memory": "out of memory",
    "scheduler_exception": "a scheduler died of an exception; the server goes down",
    "process_exception": "a process of the server died of an exception",
    "subprocess_crashed": "a process of the server crashed; the server goes down",
    "watchdog": "a batch took too long for the watchdog",
    "sigquit": "a child process failed; the server goes down",
    "sigterm": "the server was told to stop and drains",
    "draining": "the server was told to stop and waits for what still runs",
    "stopped": "the server has stopped",
    "health_check_failed": "the health check got no answer in time",
    "nan": "the model gave values that are no numbers",
    "nccl": "the communication between devices failed",
    "cuda_error": "the device reported an error",
    "transfer_failed": "a KV cache could not be handed from a prefill to a decode server",
    "cache_flushed": "the prefix cache was emptied",
    "flush_refused": "the prefix cache was not emptied, for requests were running",
    "request_received": "a request came in",
    "request_finished": "a request finished: {prompt_tokens:,} prompt tokens, {completion_tokens:,} generated",
    "req_time_stats": "a request finished",
    "json.request.received": "a request came in",
    "json.request.received.openai": "a request came in",
    "json.request.finished": "a request finished",
    "json.scheduler.status": "{running} requests run and {queued} wait on rank {rank}",
    "access": "{method} {path} was answered with {status}",
    "uvicorn": "the HTTP server says how it is",
}

PUZZLES = {
    "damaged": "damaged: cut, overwritten, or a number that is none",
    "torn_line": "torn, with the next line glued on",
    "long_line": "too long to be put together from their pieces",
    "format_drift": "like a batch line, in words that this exporter does not know",
    "unknown_field": "with a field that this exporter does not know; their other fields count",
    "repeated": "swallowed by Ray, so that counters are lower bounds (RAY_DEDUP_LOGS=0 keeps them)",
    "internal_error": "refused by a fault of this exporter's",
}
"""What is said of lines that were not understood, by reason."""


def in_words(event: Event) -> str:
    """Return one sentence, of the numbers that the line has."""
    match event.kind:
        case "decode":
            return ", ".join(_decode(event.fields))
        case "prefill":
            return ", ".join(_prefill(event.fields))
    words = _WORDS[event.kind]
    try:
        return words.format(**event.fields)
    except (KeyError, ValueError, TypeError):
        return words.partition("{")[0].rstrip(" :")


def _decode(fields: Mapping[str, Value]) -> list[str]:
    return [
        *_told(fields, ("#running-req",), "{:,.0f} requests run"),
        *_told(fields, ("#queue-req",), "{:,.0f} wait"),
        *_told(fields, ("token usage", "full token usage", "gpu token usage"), "the KV cache is {:.0%} full"),
        *_told(fields, ("gen throughput (token/s)",), "{:,.2f} tokens generated a second"),
    ]


def _prefill(fields: Mapping[str, Value]) -> list[str]:
    return [
        *_told(fields, ("#new-seq", "#seq"), "{:,.0f} sequences enter"),
        *_told(fields, ("#new-token", "#new_token"), "{:,.0f} prompt tokens to compute"),
        *_told(fields, ("#cached-token", "#cached_token"), "{:,.0f} from the cache"),
        *_told(fields, ("#queue-req", "#remaining_req"), "{:,.0f} requests wait"),
    ]


def _told(fields: Mapping[str, Value], labels: tuple[str, ...], words: str) -> list[str]:
    values = (fields[label] for label in labels if label in fields)
    return [words.format(value) for value in values if isinstance(value, int | float)][:1]
