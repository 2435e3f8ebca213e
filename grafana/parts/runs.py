"""The runs of a server, from start to start, in PromQL."""

from parts.queries import ENGINE, series

ARGUMENTS = {
    "kv_cache_dtype": "KV cache",
    "mem_fraction_static": "Memory fraction",
    "max_total_tokens": "Max tokens",
    "max_running_requests": "Max running",
    "chunked_prefill_size": "Chunk",
    "schedule_conservativeness": "Conservativeness",
    "tp_size": "TP",
    "dp_size": "DP",
    "model": "Model",
}
"""The labels of `sglang_server_info` that explain a run's numbers, and what their columns are called."""


def info(offset: str = "") -> str:
    """Return the arguments that hold, one series per engine: in backfilled history the old ones linger for minutes."""
    seen = f"timestamp({series('sglang_server_info')}{offset})"
    return f"({seen} == on ({ENGINE}) group_left () max by ({ENGINE}) ({seen}))"


def with_arguments(vector: str, labels: str = "") -> str:
    """Return the vector, which has one series per engine, with the arguments as labels, its own `labels` too."""
    return f"(0 * {info()} + on ({ENGINE}) group_left ({labels}) ({vector}))"


def each(label: str, metric: str, value: str = "") -> str:
    """Return a series for each run, told apart by `label`: the time in `metric`, which it has alone, in seconds.

    The value is that time, or `value`, which has one series per scheduler.
    """
    began = series(metric)
    known = f"sum by ({ENGINE}) ({value})" if value else began
    return f'{known} * on ({ENGINE}) group_left ({label}) count_values by ({ENGINE}) ("{label}", {began})'


def in_the_time_shown(vector: str, step: str = "$__interval") -> str:
    """Return what each series of the vector last was in the time shown."""
    return f"last_over_time(({vector})[$__range:{step}])"
