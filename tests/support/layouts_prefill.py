"""The layouts of Prefill lines, by the names that they have in the project's notes on SGLang's log.

`sending` is the prefill server of a pair that splits prefill and decode.
"""

from support.layout import Layout, Maybe, OneOf, Part
from support.layouts_decode import BY_POOL, PLAIN

_NEW = ("#new-seq", "#new-token", "#cached-token")
_RUNNING = ("#running-req", "#queue-req")
_PENDING = (*_RUNNING, "#pending-token")
_HITS = "cache hit rate"
_USAGE = "token usage"
_SWA = ("full token usage", "swa token usage")
_PLAIN_OR_SWA = OneOf(_USAGE, _SWA)
_OR_MAMBA = OneOf(_USAGE, _SWA, ("full token usage", "mamba usage"))
_OR_BOTH = OneOf(*_OR_MAMBA, (_SWA, "mamba usage"))
_BY_POOL = OneOf(PLAIN, BY_POOL)

_INPUT = "input throughput (token/s)"
_SENDING = ("#unbootstrapped-req", "#queue-req", "#transferring-req")
_RUNNING_OR_SENDING = OneOf(_RUNNING, (_SENDING, _INPUT))
_FLIGHT = ("#prealloc-req", "#inflight-req")
_BOOTSTRAP = ("#bootstrap-req", "#inflight-req")

_IMAGES = Maybe("waiting-image-req")
_NPU = (_IMAGES, OneOf("cuda graph", "cpu graph", "npu graph"))
_MUSA = (_IMAGES, OneOf("cuda graph", "cpu graph", "npu graph", "musa graph"))
_MFU = Maybe("est. prefill TFLOPS/s (per GPU)")
_END = (_MUSA, _INPUT, _MFU, Maybe("fwd occupancy"))
_END_0521 = (_MUSA, _INPUT, _MFU, Maybe("fwd occupancy", "fwd+idle occupancy"))

_STOP = ("Prefill batch. ",)
_MIXED = ("Prefill batch(mixed #running-req: {n}). ",)
_NUMBER = ("Prefill batch [{n}], ",)
_COMMA = ("Prefill batch, ", *_NUMBER)


def _fill(name: str, releases: str, *parts: Part, tail: str = "") -> Layout:
    sizes = ("#seq", "#cached_token", "#new_token", "#remaining_req", "#running_req")
    return Layout(name, "prefill", releases, ("new fill batch. ",), (*sizes, *parts), tail, separator=". ")


def _prefill(name: str, releases: str, *parts: Part, head: tuple[str, ...] = _STOP, tail: str = "") -> Layout:
    return Layout(name, "prefill", releases, head, (_NEW, *parts), tail)


PREFILL = (
    _fill("P1", "0.1.3 .. 0.1.11"),
    _fill("P2", "0.1.12 .. 0.1.16", "tree_cache_hit_rate", tail="."),
    _prefill("P2b", "0.1.17", _HITS, _RUNNING, head=("Prefil batch. ",)),
    _prefill("P3 to P5", "0.1.18 .. 0.3.1", _HITS, _RUNNING),
    _prefill("P5 mixed", "0.2.14 .. 0.3.1", _HITS, "#queue-req", head=_MIXED),
    _prefill("P6, P7", "0.3.1.post3 .. 0.4.3.post2", _HITS, _USAGE, _RUNNING),
    _prefill("P6 mixed", "0.3.1.post3 .. 0.3.5", _HITS, _USAGE, "#queue-req", head=_MIXED),
    _prefill("P8", "0.4.3.post3 .. 0.4.5.post3", _USAGE, _RUNNING, tail=", "),
    _prefill("P9, P10", "0.4.6 .. 0.4.8.post1", _USAGE, _RUNNING),
    _prefill("P9 sending", "0.4.6 .. 0.4.6.post5", _USAGE, "#running-req", _SENDING, tail=" "),
    _prefill("P9b sending", "0.4.7", _USAGE, "#running-req", _SENDING, "time", tail=" "),
    _prefill("P10 sending", "0.4.7.post1 .. 0.4.8.post1", _USAGE, _SENDING, _INPUT, tail=" "),
    _prefill("P11", "0.4.9", _BY_POOL, _RUNNING),
    _prefill("P11 sending", "0.4.9", _BY_POOL, _SENDING, _INPUT, tail=" "),
    _prefill("P11b", "0.4.9.post1 .. 0.4.9.post2", _BY_POOL, _RUNNING_OR_SENDING, "timestamp"),
    _prefill("P12", "0.4.9.post3 .. 0.5.2", _PLAIN_OR_SWA, _RUNNING_OR_SENDING, tail=", "),
    _prefill("P13", "0.5.3 .. 0.5.3.post1", _PLAIN_OR_SWA, _RUNNING, Maybe(_FLIGHT), tail=", "),
    _prefill("P13b", "0.5.3.post2 .. 0.5.3.post3", _OR_MAMBA, _RUNNING, Maybe(_FLIGHT), tail=", "),
    _prefill("P14", "0.5.4", _OR_MAMBA, _RUNNING, Maybe(_FLIGHT, _INPUT), head=_NUMBER, tail=", "),
    _prefill("P15", "0.5.4.post1 .. 0.5.8.post1", _OR_MAMBA, _RUNNING, Maybe(_FLIGHT, _INPUT), head=_COMMA, tail=", "),
    _prefill("P16", "0.5.9", _OR_MAMBA, _RUNNING, Maybe(_FLIGHT), _INPUT, _NPU, head=_COMMA),
    _prefill("P17", "0.5.10 .. 0.5.10.post1", _OR_BOTH, _RUNNING, Maybe(_FLIGHT), _NPU, _INPUT, _MFU, head=_COMMA),
    _prefill("P18", "0.5.11", _OR_BOTH, _PENDING, Maybe(_FLIGHT), _END, head=_COMMA),
    _prefill("P19", "0.5.12 .. 0.5.15.post1", _OR_BOTH, _PENDING, Maybe(_BOOTSTRAP), _END, head=_COMMA),
    _prefill("P20", "0.5.16 .. 0.5.20", _OR_BOTH, _PENDING, Maybe(_BOOTSTRAP, "#optimistic-req"), _END, head=_COMMA),
    _prefill(
        "P21",
        "0.5.21 .. 0.5.23",
        _OR_BOTH,
        _PENDING,
        Maybe("#replay-token"),
        Maybe(_BOOTSTRAP, "#optimistic-req"),
        _END_0521,
        head=_COMMA,
    ),
)
