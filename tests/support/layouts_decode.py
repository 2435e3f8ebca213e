"""The layouts of Decode lines, by the names that they have in the project's notes on SGLang's log."""

from support.layout import Layout, Maybe, OneOf, Part

PLAIN = ("#token", "token usage")
SWA = ("#full token", "full token usage", "#swa token", "swa token usage")
_STATES = ("mamba num", "mamba usage")
_MAMBA = ("#full token", "full token usage", _STATES)
BY_POOL = ("#token=", "token usage=")
_PLAIN_OR_SWA = OneOf(PLAIN, SWA)
_OR_MAMBA = OneOf(PLAIN, SWA, _MAMBA)
_OR_BOTH = OneOf(PLAIN, SWA, _MAMBA, (SWA, _STATES))
_HISPARSE = ("#gpu token", "gpu token usage", "#cpu token", "cpu token usage")
_OR_HISPARSE = OneOf(*_OR_BOTH, _HISPARSE)

_LENGTH = Maybe("accept len")
_RATE = Maybe("accept len", "accept rate")
_DSPARK = Maybe("accept len", "accept rate", Maybe("cap len"), Maybe("block accept len"), Maybe("est uncap acc len"))
_ALLOCATED = Maybe("pre-allocated usage")
_RETRACTED = Maybe("pre-allocated usage", "#retracted-req")
_QUEUES = ("pre-allocated usage", "#prealloc-req", "#transfer-req")
_TRANSFER = Maybe(_QUEUES, "#retracted-req")
_RECEIVE = Maybe(_QUEUES, Maybe("#host-receive-req"), "#retracted-req")

_IMAGES = Maybe("waiting-image-req")
_TWO_GRAPHS = OneOf("cuda graph", "cpu graph")
_NPU = (_IMAGES, OneOf("cuda graph", "cpu graph", "npu graph"))
_MUSA = (_IMAGES, OneOf("cuda graph", "cpu graph", "npu graph", "musa graph"))
_SPEED = "gen throughput (token/s)"
_END = (_SPEED, "#queue-req")
_MFU = Maybe("est. decode TFLOPS/s (per GPU)", "est. read BW (GB/s per GPU)", "est. write BW (GB/s per GPU)")
_OCCUPANCY = Maybe("fwd occupancy")
_BOTH = Maybe("fwd occupancy", "fwd+idle occupancy")

_STOP = ("Decode batch. ",)
_NUMBER = ("Decode batch [{n}], ",)
_COMMA = ("Decode batch, ", *_NUMBER)


def _decode(name: str, releases: str, *parts: Part, head: tuple[str, ...] = _STOP, tail: str = "") -> Layout:
    return Layout(name, "decode", releases, head, ("#running-req", *parts), tail)


DECODE = (
    _decode("D1", "0.1.3 .. 0.1.15", PLAIN, "#queue-req", head=("",)),
    _decode("D1b", "0.1.16", PLAIN, _END, head=("",)),
    _decode("D2 to D4", "0.1.17 .. 0.4.1.post5", PLAIN, _END),
    _decode("D5", "0.4.1.post7 .. 0.4.3.post2", PLAIN, _LENGTH, _END),
    _decode("D6", "0.4.3.post3 .. 0.4.4.post1", PLAIN, _LENGTH, _SPEED, "largest-len", "#queue-req", tail=", "),
    _decode("D7", "0.4.4.post2 .. 0.4.5.post3", PLAIN, _LENGTH, _END, tail=", "),
    _decode("D8", "0.4.6 .. 0.4.6.post3", PLAIN, _LENGTH, _ALLOCATED, _END),
    _decode("D9", "0.4.6.post4 .. 0.4.7", PLAIN, _LENGTH, _ALLOCATED, "cuda graph", _END),
    _decode("D10", "0.4.7.post1 .. 0.4.8.post1", PLAIN, _LENGTH, _RETRACTED, "cuda graph", _END),
    _decode("D11", "0.4.9", OneOf(PLAIN, BY_POOL), _LENGTH, _RETRACTED, "cuda graph", _END),
    _decode(
        "D11b",
        "0.4.9.post1 .. 0.4.9.post2",
        OneOf(PLAIN, BY_POOL),
        _LENGTH,
        _RETRACTED,
        "cuda graph",
        _END,
        "timestamp",
    ),
    _decode("D12", "0.4.9.post3 .. 0.5.1.post3", _PLAIN_OR_SWA, _LENGTH, _RETRACTED, "cuda graph", _END, tail=", "),
    _decode("D13", "0.5.2", _PLAIN_OR_SWA, _LENGTH, _RETRACTED, _TWO_GRAPHS, _END, tail=", "),
    _decode("D14", "0.5.3 .. 0.5.3.post1", _PLAIN_OR_SWA, _LENGTH, _TRANSFER, _TWO_GRAPHS, _END, tail=", "),
    _decode("D14b", "0.5.3.post2 .. 0.5.3.post3", _OR_MAMBA, _RATE, _TRANSFER, _TWO_GRAPHS, _END, tail=", "),
    _decode("D15", "0.5.4", _OR_MAMBA, _RATE, _TRANSFER, _TWO_GRAPHS, _END, head=_NUMBER, tail=", "),
    _decode(
        "D16", "0.5.4.post1 .. 0.5.8.post1", _OR_MAMBA, _RATE, _TRANSFER, _TWO_GRAPHS, _END, head=_COMMA, tail=", "
    ),
    _decode("D17", "0.5.9", _OR_MAMBA, _RATE, _TRANSFER, _NPU, _END, head=_COMMA),
    _decode("D18", "0.5.10 .. 0.5.10.post1", _OR_BOTH, _RATE, _TRANSFER, _NPU, _END, _MFU, head=_COMMA),
    _decode(
        "D19", "0.5.11 .. 0.5.15.post1", _OR_HISPARSE, _RATE, _TRANSFER, _MUSA, _END, _MFU, _OCCUPANCY, head=_COMMA
    ),
    _decode("D20", "0.5.16 .. 0.5.20", _OR_HISPARSE, _DSPARK, _TRANSFER, _MUSA, _END, _MFU, _OCCUPANCY, head=_COMMA),
    _decode("D21", "0.5.21 .. 0.5.23", _OR_HISPARSE, _DSPARK, _RECEIVE, _MUSA, _END, _MFU, _BOTH, head=_COMMA),
)
