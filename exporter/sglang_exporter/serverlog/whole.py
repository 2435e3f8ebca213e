"""What a line has when nothing of it is lost.

A line that breaks `REQUIRED` or `ONLY` is damaged. A release to come may break `COMPANIONS` or `ORDER`: its log does so
again and again, and damage does not.
"""

from itertools import combinations
from typing import NamedTuple

BATCH_STOP, BATCH_COMMA = "batch.", "batch,"
"""What stands for the head of a batch line among its labels: `Decode batch.` up to 0.5.3, `Decode batch,` after."""
FULL, TESTING = "full", "testing"
"""And for that of a retraction line: `KV cache pool is full.` and what was printed before it, `Testing retraction.`"""
HEADS: frozenset[str] = frozenset((BATCH_STOP, BATCH_COMMA, FULL, TESTING))


class Companions(NamedTuple):
    """A line that has all the `given` labels has one of the `wanted`; where none is wanted, no line has them all."""

    given: frozenset[str]
    wanted: frozenset[str]

    def broken_by(self, labels: frozenset[str]) -> bool:
        """Tell whether a line with these labels breaks the rule."""
        return self.given <= labels and self.wanted.isdisjoint(labels)


def _with(given: str, *wanted: str) -> Companions:
    return Companions(frozenset(given.split(" & ")), frozenset(wanted))


def _always(*wanted: str) -> Companions:
    return Companions(frozenset(), frozenset(wanted))


def _all(*labels: str) -> tuple[Companions, ...]:
    """Return the rules for labels that are printed together or not at all."""
    return tuple(_with(label, other) for label, other in zip(labels, (*labels[1:], labels[0]), strict=True))


def _either(*labels: str) -> tuple[Companions, ...]:
    """Return the rules for labels that are never printed together."""
    return tuple(_with(f"{one} & {other}") for one, other in combinations(labels, 2))


def _each(*labels: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset((label,)) for label in labels)


_USAGE = ("token usage", "full token usage", "gpu token usage")
_TOKENS = ("#token", "#full token", "#gpu token")
_GRAPHS = ("cuda graph", "cpu graph", "npu graph", "musa graph")
_SPEED, _INPUT = "gen throughput (token/s)", "input throughput (token/s)"

# The labels of each kind of line, one of each set. `old` are the layouts up to 0.1.16, `first` is that of 0.1.17.
REQUIRED: dict[str, tuple[frozenset[str], ...]] = {
    "old decode": _each("#running-req", "#token", "token usage", "#queue-req"),
    "old prefill": _each("#seq", "#new_token", "#cached_token", "#remaining_req", "#running_req"),
    "decode": (frozenset(_TOKENS), frozenset(_USAGE), *_each("#running-req", "#queue-req")),
    "prefill": _each("#new-seq", "#new-token", "#queue-req"),
    "retract": _each("#retracted_reqs"),
}

COMPANIONS: dict[str, tuple[Companions, ...]] = {
    "decode": (
        _always(_SPEED),
        *_all("#token", "token usage"),
        *_either(*_TOKENS),
        *_either(*_USAGE),
        _with("#full token", "full token usage"),
        _with("full token usage", "swa token usage", "mamba usage"),
        *_all("#swa token", "swa token usage"),
        *_all("mamba num", "mamba usage"),
        _with("swa token usage", "full token usage"),
        _with("mamba usage", "full token usage"),
        _with("waiting-image-req", *_GRAPHS),
        *_all("#gpu token", "gpu token usage", "#cpu token", "cpu token usage"),
        _with("accept rate", "accept len"),
        _with(f"accept len & {BATCH_COMMA}", "accept rate"),
        *(_with(label, "accept rate") for label in ("cap len", "block accept len", "est uncap acc len")),
        _with(f"pre-allocated usage & {BATCH_COMMA}", "#prealloc-req"),
        _with("pre-allocated usage & full token usage", "#retracted-req"),
        _with("#retracted-req", "pre-allocated usage"),
        _with("#retracted-req", *_GRAPHS),
        _with(BATCH_COMMA, *_GRAPHS),
        *_all("#prealloc-req", "#transfer-req"),
        _with("#transfer-req", "#retracted-req"),
        _with("#host-receive-req", "#transfer-req"),
        *_all("est. decode TFLOPS/s (per GPU)", "est. read BW (GB/s per GPU)", "est. write BW (GB/s per GPU)"),
        _with("fwd+idle occupancy", "fwd occupancy"),
    ),
    "prefill": (
        _always("#cached-token"),
        _always("cache hit rate", *_USAGE),
        *_either(*_USAGE),
        _always("#running-req", "mixed #running-req", "#unbootstrapped-req"),
        _with(BATCH_COMMA, "#running-req"),
        _with("#token", "token usage"),
        _with("full token usage", "swa token usage", "mamba usage"),
        _with("swa token usage", "full token usage"),
        _with("mamba usage", "full token usage"),
        _with("waiting-image-req", *_GRAPHS),
        *(_with(graph, _INPUT) for graph in _GRAPHS),
        _with("#inflight-req", "#prealloc-req", "#bootstrap-req"),
        *(_with(label, "#inflight-req") for label in ("#prealloc-req", "#bootstrap-req", "#optimistic-req")),
        *_all("#unbootstrapped-req", "#transferring-req"),
        *(_with(label, "#pending-token") for label in ("#bootstrap-req", "#replay-token", "fwd occupancy")),
        _with("#pending-token", _INPUT),
        _with("#pending-token", *_GRAPHS),
        _with(f"{_INPUT} & {BATCH_COMMA}", "#inflight-req", *_GRAPHS),
        _with(f"#inflight-req & {BATCH_COMMA}", _INPUT),
        _with("#transferring-req", _INPUT, "#running-req"),
        _with(f"{_INPUT} & {BATCH_STOP}", "#transferring-req"),
        _with("time", "#transferring-req"),
        _with("timestamp", "#token"),
        _with("mixed #running-req", "cache hit rate"),
        _with("swa token usage & mamba usage", *_GRAPHS),
        _with("fwd+idle occupancy", "fwd occupancy"),
    ),
    "retract": (
        _always("#new_token_ratio", "#new_tokens_gained"),
        *_all(FULL, "#new_token_ratio"),
        _with("#mamba_num_gained", "#new_tokens_gained"),
    ),
    "capacity": (
        _always("context_len"),
        _always("max_prefill_tokens", "max_prefill_num_token"),
        _with("max_total_num_token", "max_prefill_num_token"),
        _with("chunked_prefill_size", "max_running_requests"),
        _with("available_gpu_mem", "chunked_prefill_size"),
        _with("available_cpu_mem", "chunked_prefill_size"),
    ),
}

_POOLS = ("full token", "swa token", "gpu token", "cpu token")

# Fields that every release prints in this order, as far as it prints them; others may stand anywhere.
ORDER: dict[str, tuple[str, ...]] = {
    "decode": (
        *("#running-req", "#token", "token usage"),
        *(label for pool in _POOLS for label in (f"#{pool}", f"{pool} usage")),
        *("mamba num", "mamba usage", "accept len", "accept rate", "cap len", "block accept len", "est uncap acc len"),
        *("pre-allocated usage", "#prealloc-req", "#transfer-req", "#host-receive-req", "#retracted-req"),
        *("waiting-image-req", *_GRAPHS, _SPEED, "largest-len", "#queue-req", "fwd occupancy", "fwd+idle occupancy"),
    ),
    "prefill": (
        *("mixed #running-req", "#new-seq", "#new-token", "#cached-token", "cache hit rate", "#token", "token usage"),
        *("full token usage", "swa token usage", "mamba usage", "#running-req", "#unbootstrapped-req", "#queue-req"),
        *("#transferring-req", "#pending-token", "#replay-token", "#prealloc-req", "#bootstrap-req", "#inflight-req"),
        *("#optimistic-req", "waiting-image-req", *_GRAPHS, "fwd occupancy", "fwd+idle occupancy"),
    ),
}

# The labels of layouts that no release prints any more, so that any other is damage.
ONLY: dict[str, frozenset[str]] = {
    "old decode": frozenset(("#running-req", "#token", "token usage", _SPEED, "#queue-req")),
    "old prefill": frozenset().union(*REQUIRED["old prefill"], ("tree_cache_hit_rate",)),
    "first prefill": frozenset(
        ("#new-seq", "#new-token", "#cached-token", "cache hit rate", "#running-req", "#queue-req")
    ),
}
