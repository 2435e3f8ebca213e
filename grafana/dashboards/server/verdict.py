"""What limits a server, as one word: an expression that gives a number for each server, and the words for the numbers.

It is judged by the concurrency *now*: as many requests as fit into the KV cache at their present mean length. Running
over that number is the tokens in use over the tokens that fit, so the two are one test.
"""

from grafana_foundation_sdk.models.dashboard import ValueMap, ValueMappingResult

from parts.queries import Query, by, rate, series

FULL = 0.9
"""Share of the concurrency now from which on the KV cache is the limit; SGLang's own guide takes it for a full one."""
WAITING = 1
"""Mean queue from which on requests are said to wait; below it they are passing through."""
OVER = "10m"
"""The time that is judged: long enough for an answer that lasts, whatever the zoom."""
PREFILL_HEAVY = 10
"""Prompt tokens computed for each generated one, from which on prefill takes most of the time (a rule of thumb)."""

RULE = (
    "Judged over ten minutes by the concurrency now, as many requests as fit at their present length. KV cache: at"
    " least 90 % of them run, or some were retracted. Otherwise, where requests wait (a mean queue of 1 or more):"
    " prefill, if at least 10 prompt tokens are computed for each generated one; else the scheduler is too careful,"
    " or holds to its max_running_requests. Where none waits: the client is too slow. Idle: there is no work. Nothing"
    " is said of a server that is starting, stalled or down."
)

WORDS = {
    "KV cache": "orange",
    "client too slow": "blue",
    "scheduler too careful": "yellow",
    "prefill": "purple",
    "idle": "#8e8e8e",
}
"""The answers and their colours; the expression gives their places from 1."""
_PLACES = {word: place for place, word in enumerate(WORDS, 1)}


def query() -> Query:
    """Return the limit of each server, as its place in `WORDS` from 1."""
    waiting = f"{_queue()} >= {WAITING}"
    answers = [
        ("idle", _phase("idle")),
        ("KV cache", f"({_fullness()} >= {FULL}) or ({_retractions()} > 0)"),
        ("prefill", f"({_prefill()} >= {PREFILL_HEAVY}) and ({waiting})"),
        ("scheduler too careful", waiting),
        ("client too slow", by("server", "max", _mean("sglang_server_running_requests"))),
    ]
    known = " or ".join(f"{_PLACES[word]} + 0 * ({test})" for word, test in answers)
    return Query(f"({known}) and on (instance, server) ({_phase('idle|warmup|steady|drain')})", "{{server}}")


def mapping() -> ValueMap:
    """Return words and colours for the numbers."""
    results = {
        str(place): ValueMappingResult(text=word, color=WORDS[word], index=place) for word, place in _PLACES.items()
    }
    return ValueMap(options=results)


def _fullness() -> str:
    """Return running over the concurrency now: the fullest pool on the device, as the mean over the ranks."""
    pools = by("server, pool", "avg", _mean("sglang_server_token_usage_ratio", 'pool!="cpu"'))
    return by("server", "max", pools)


def _queue() -> str:
    return by("server", "sum", _mean("sglang_server_queued_requests"))


def _retractions() -> str:
    return by("server", "sum", f"increase({series('sglang_server_retractions_total')}[{OVER}])")


def _mean(metric: str, *matchers: str) -> str:
    """Return a gauge's mean over a time that does not depend on how far one zooms: the answer must not either."""
    return f"avg_over_time({series(metric, *matchers)}[{OVER}])"


def _prefill() -> str:
    computed = by("server", "sum", rate(series("sglang_server_prefill_tokens_total")))
    return f"{computed} / {by('server', 'sum', rate(series('sglang_server_generated_tokens_total')))}"


def _phase(phases: str) -> str:
    state = series("sglang_server_phase", f'phase=~"{phases}"')
    return f"{by('server', 'max', state)} == 1"
