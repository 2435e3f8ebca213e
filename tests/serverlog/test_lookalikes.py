"""Lines of other programs in the same file: no value and no incident comes from them."""

import pytest

from sglang_exporter.serverlog.decoder import OTHER, LogDecoder

LINES = [
    "INFO 04-27 16:06:28 [loggers.py:271] Engine 000: Avg prompt throughput: 0.0 tokens/s, Avg generation throughput: 18.1 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 35.1%",
    "(EngineCore_DP0 pid=7) INFO 04-27 16:06:28 [metrics.py:101] SpecDecoding metrics: Mean acceptance length: 2.03",
    "Processing batches: 1it [00:00,  2.74it/s]",
    "Loading safetensors checkpoint shards: 100% Completed | 4/4 [00:06<00:00,  1.00s/it]",
    "Traceback (most recent call last):",
    '  File "/x/client.py", line 5, in <module>',
    "requests.exceptions.HTTPError: 503 Server Error: Service Unavailable for url: http://localhost:30000/generate",
    "2025-07-30 12:00:00  INFO sglang_router::core::worker: src/core/worker.rs:120: Worker http://10.0.0.1:30000 is healthy",
    "host-0:206:10697 [1] NCCL INFO Connected all trees",
    "Decode batch. #running-req: 4, #pages(active/cached/total): 1/2/3, page ratio: 0.10, gen throughput (token/s): 5.00, avg_accept_len: 1.00, accept_rate: 0.50, #queue-req: 0",
    "RuntimeError: Decode batch failed, #running-req: 5",
]


@pytest.mark.parametrize("line", LINES)
def test_nothing_comes_of_it(line: str) -> None:
    events = [event for event in LogDecoder({}, {}).decode(line.encode()) if event.kind != OTHER]
    assert not events
