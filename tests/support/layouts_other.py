"""The layouts of the other lines whose numbers are exported: the capacity line and the retraction line."""

from support.layout import Layout, Maybe, OneOf, Part

_LIMITS = ("max_prefill_tokens", "max_running_requests", "context_len")
_CHUNKED = ("max_total_num_tokens", "chunked_prefill_size", _LIMITS)
_RATIO = "#new_token_ratio"
_GAINED = ("#retracted_reqs", "#new_tokens_gained", Maybe("#mamba_num_gained"))
_FULL = ("KV cache pool is full. Retract requests. ",)


def _capacity(name: str, releases: str, *parts: Part) -> Layout:
    return Layout(name, "capacity", releases, ("",), parts, equals="=")


def _retract(name: str, releases: str, *parts: Part, head: tuple[str, ...] = _FULL) -> Layout:
    return Layout(name, "retract", releases, head, parts)


OTHER = (
    _capacity("C1", "0.1.18 .. 0.1.22", "max_total_num_tokens", "max_prefill_tokens", "context_len"),
    _capacity("C2", "0.1.24 .. 0.4.1.post7", "max_total_num_tokens", _LIMITS),
    _capacity("C3", "0.4.2 .. 0.4.6.post5", _CHUNKED),
    _capacity("C4", "0.4.7 .. 0.5.1.post3", _CHUNKED, "available_gpu_mem"),
    _capacity("C5", "0.5.2 .. 0.5.23", _CHUNKED, OneOf("available_gpu_mem", "available_cpu_mem")),
    _retract("R1", "0.1.6 .. 0.2.13", "#retracted_reqs", _RATIO, head=("decode out of memory happened, ",)),
    _retract("R2", "0.2.14 .. 0.4.6.post5", "#retracted_reqs", _RATIO, head=("Decode out of memory happened. ",)),
    _retract("R3", "0.4.7 .. 0.5.2", "#retracted_reqs", _RATIO),
    _retract("R4", "0.5.3 .. 0.5.4.post1", "#retracted_reqs", "#aborted_retracted_reqs", _RATIO),
    _retract("R5", "0.5.4.post2 .. 0.5.6.post2", "#retracted_reqs", _RATIO),
    _retract("R6", "0.5.7 .. 0.5.23", _GAINED, _RATIO),
    _retract("R6 testing", "0.5.7 .. 0.5.23", _GAINED, head=("Testing retraction. ",)),
)
