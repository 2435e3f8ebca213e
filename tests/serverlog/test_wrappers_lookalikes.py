"""What looks like a wrapper and is none stays as it is."""

import pytest

from sglang_exporter.serverlog.wrappers import Unwrapped, Unwrapper

BARE = b"[2025-06-06 08:08:17 TP0] Load weight begin. avail mem=70.10 GB"
NEVER = [
    b'{"timestamp": "2026-01-02T03:04:05.123456", "event": "request.finished", "rid": "r", "out": {}}',
    b'[2026-01-02 03:04:05] {"timestamp": "2026-01-02T03:04:05.123456", "event": "request.received"}',
    b'{"log": "a record of something else"}',
    b'{"log":"x\\n","stream":"console"}',
    b'{"log":["x"],"stream":"stdout"}',
    b'{"log":"cut off',
    b"distributed-sglang-0:206:10697 [1] NCCL INFO Connected all trees",
    b"distributed-sglang-0:206:10697 [1] NCCL INFO threadThresholds 8/8/64 | 128/8/64 | 512 | 512",
    b"[rank1]:[E909 08:45:30.126335825 ProcessGroupNCCL.cpp:2252] [PG ID 2 PG GUID 3 Rank 1]  failure detected",
    b"(APIServer pid=1) INFO 04-27 16:06:28 [loggers.py:271] Engine 000: Avg prompt throughput: 0.0 tokens/s",
    b"INFO 04-27 16:06:28 [metrics.py:101] Avg generation throughput: 18.1 tokens/s, Running: 1 reqs",
    b'INFO:     127.0.0.1:51234 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
    b'[2025-06-06 08:08:17] INFO:     127.0.0.1:51234 - "POST /generate HTTP/1.1" 200 OK',
    b"Traceback (most recent call last):",
    b'  File "/x/scheduler.py", line 1, in run_scheduler_process',
    b"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.",
    b"           ^^^^^^^^^^^^^^^^^^^",
    b"Loading safetensors checkpoint shards:  50% Completed | 1/2 [00:01<00:01,  1.00s/it]",
    b"Capturing batches (bs=1 avail_mem=6.67 GB):  12%|#2        | 1/8 [00:01<00:07,  1.00s/it]",
    b" 10%|#         | 1/10 [00:00<00:09,  1.00it/s]",
    b"0it [00:00, ?it/s]",
    b"|   0  NVIDIA H100 80GB HBM3          On  |   00000000:19:00.0 Off |                    0 |",
    b"2025-02-26 15:44:36,973 - INFO - flashinfer.jit: Loading JIT ops: cascade",
    b"2025-07-30T12:00:00.123456Z  INFO sglang_router_rs::core: removing worker",
    b"2025-07-30T12:00:00.123456Z ERROR sgl_model_gateway: worker is gone",
    b"2025-07-30T12:00:00 server started",
    b"08:10:35 TP0] Decode batch. #running-req: 2, #token: 4078, token usage: 0.00",
    b"2025-02-09 10:14:05 TP0] Decode batch. #running-req: 2, #token: 3698, token usage: 0.01",
    b"[163, 157, 157, 157, 131, 131]",
    b"(a remark about pid=4) and more",
    b"<1> is the first",
    b"[pod/x is no container",
]
DOUBTFUL = [
    b"1: write a poem",
    b" 2: " + b"x" * 300_000,
    b"Name | Value | Unit",
    b"2025-07-30T12:00:00Z is when it happened",
]


@pytest.mark.parametrize("line", NEVER)
@pytest.mark.parametrize("before", [[], [BARE]], ids=["at the start of a log", "in a log of bare lines"])
def test_it_stays_as_it_is(line: bytes, before: list[bytes]) -> None:
    unwrapper = Unwrapper({})
    for earlier in before:
        unwrapper.feed(earlier)
    assert unwrapper.feed(line) == [Unwrapped(line)]


@pytest.mark.parametrize("line", DOUBTFUL)
def test_lines_of_a_prompt_stay_as_they_are_in_a_log_of_bare_lines(line: bytes) -> None:
    unwrapper = Unwrapper({})
    unwrapper.feed(BARE)
    assert unwrapper.feed(line) == [Unwrapped(line)]


@pytest.mark.parametrize("label", [b"1: ", b"sglang-1  | ", b"2025-07-30T12:00:00Z "])
def test_a_label_in_front_of_a_line_of_sglangs_proves_the_label(label: bytes) -> None:
    unwrapper = Unwrapper({})
    assert unwrapper.feed(BARE) == [Unwrapped(BARE)]
    assert unwrapper.feed(label + b"text") == [Unwrapped(label + b"text")]
    assert unwrapper.feed(label + BARE) == [Unwrapped(BARE)]
    assert unwrapper.feed(label + b"text") == [Unwrapped(b"text")]


@pytest.mark.parametrize("label", [b"1: ", b"sglang-1  | ", b'{"log":"x\\n","stream":"stdout"}', b"(A pid=1) "])
def test_a_wrapper_within_a_line_is_a_quotation(label: bytes) -> None:
    line = b"[2025-06-06 08:08:17] Receive: obj=GenerateReqInput(text='" + label + BARE + b"')"
    assert Unwrapper({}).feed(line) == [Unwrapped(line)]


@pytest.mark.parametrize(
    "beginning",
    [
        b"a", b"0", b" ", b"(", b"[", b"<1>", b"{", b"a ", b"(a pid=", b"[pod/", b"<1>1 - a b c d [", b"\x1b[", b"^[[",
        b"Jul 30 12:00:00 ", b"2025-07-30T12:00:00Z ", b'{"log":"', b'{"log":[', b"^", b"\\",
        b'<1>1 - a b c d [a b="\\"', b"(a pid=1)  [repeated 1x across cluster]", b"\x1b[;",
    ],
)  # fmt: skip
def test_no_long_line_takes_long(beginning: bytes) -> None:
    line = beginning * (300_000 // len(beginning))
    assert len(Unwrapper({}).feed(line)) == 1
