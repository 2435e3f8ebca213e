"""What is compared: quantities of a run as one number over all its ranks."""

from dashboards.compare.run import Run

_DEVICE = 'pool!="cpu"'
_KV = 'pool="kv"'


def speed(run: Run) -> str:
    """Return tokens generated per second."""
    return f"sum({run.rate('sglang_server_generated_tokens_total')})"


def running(run: Run) -> str:
    """Return requests that run."""
    return f"sum({run.gauge('sglang_server_running_requests')})"


def queued(run: Run) -> str:
    """Return requests that wait."""
    return f"sum({run.gauge('sglang_server_queued_requests')})"


def for_each(run: Run) -> str:
    """Return tokens per second that a running request gets."""
    return f"{speed(run)} / ({running(run)} > 0)"


def usage(run: Run) -> str:
    """Return the share of the fullest pool on the device that is in use."""
    return f"max({run.gauge('sglang_server_token_usage_ratio', _DEVICE)})"


def capacity(run: Run) -> str:
    """Return tokens that fit into the KV cache."""
    return f"sum({run.gauge('sglang_server_capacity_tokens')})"


def fit(run: Run) -> str:
    """Return the concurrency now: requests that fit at the present mean length of a running one."""
    used = f"sum({run.gauge('sglang_server_used_tokens', _KV)})"
    return f"{capacity(run)} * {running(run)} / ({used} > 0)"


def retractions(run: Run) -> str:
    """Return retractions per minute."""
    return f"60 * sum({run.rate('sglang_server_retractions_total')})"


def hits(run: Run) -> str:
    """Return the share of the prompt tokens that the prefix cache had."""
    cached = f"sum({run.rate('sglang_server_cached_tokens_total')})"
    computed = f"sum({run.rate('sglang_server_prefill_tokens_total')})"
    return f"{cached} / (({cached} + {computed}) > 0)"
