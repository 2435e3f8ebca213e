"""The worked example of the design as files: a run under bf16, a restart with an FP8 cache, and the job's outputs.

600 tok/s with 116,000 tokens and 28 running; then 376,029 tokens, a burst of 150 at 1,444 tok/s, then 1,351 at usage 0.93
while 33 completions of 4,100 tokens come every 120 s.
"""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

START = 1_795_968_000
TOKENS = 4100
TO_GO = 88_000
_LINE = 4
_STARTED, _READY = 100, 160
_FIRST = 3600
_RESTART = START + _STARTED + _FIRST + 300
_WORK = 7200
_BURST = 640


def write(folder: Path, *, counted: bool) -> int:
    """Write server.log and raw_responses.jsonl into a folder; return the records that the job has when it is done.

    With `counted` the records have a time and a count of tokens, else neither, and the log has access lines.
    """
    lines = sorted([*_bf16(), *_fp8(access=not counted)])
    text = "".join(f"[{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S}] {line}\n" for at, _, line in lines)
    (folder / "server.log").write_text(text)
    answered = list(_answered())
    with (folder / "raw_responses.jsonl").open("w") as file:
        for number, at in enumerate(answered):
            record: dict[str, object] = {"id": number, "response": "an answer"}
            if counted:
                record |= {"usage": {"completion_tokens": TOKENS}, "finished_at": at}
            file.write(json.dumps(record) + "\n")
    return len(answered) + TO_GO


def _bf16() -> Iterator[tuple[float, int, str]]:
    yield from _start(START, "auto", 116_000)
    begin = START + _STARTED + _READY
    for number in range(28):
        yield begin, 1, _prefill(number, 0.01)
    for at in range(begin + _LINE, START + _STARTED + _FIRST, _LINE):
        usage = min(0.93, 0.93 * (at - begin) / 250)
        yield at, 3, _decode(28, 116_000, usage, 600.0)
    for at in range(begin + 250, START + _STARTED + _FIRST, 28):  # 28 requests of 4,100 tokens at 600 tok/s
        yield at, 2, _prefill(27, 0.93)


def _fp8(*, access: bool) -> Iterator[tuple[float, int, str]]:
    yield from _start(_RESTART, "fp8_e5m2", 376_029)
    begin = _RESTART + _STARTED + _READY
    for number in range(150):
        yield begin + number / 100, 1, _prefill(number, 0.0)
    for at in range(begin + _LINE, begin + _WORK + 1, _LINE):
        full = at - begin >= _BURST
        usage = 0.93 if full else 0.93 * (at - begin) / _BURST
        yield at, 3, _decode(150, 376_029, usage, 1351.40 if full else 1444.0)
    for answered in _answered():
        yield answered, 2, _prefill(149, 0.93)
        if access:
            yield answered, 2, 'INFO:     127.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK'


def _answered() -> Iterator[float]:
    """Yield when requests of the second run were answered: 33 in 120 s."""
    begin = _RESTART + _STARTED + _READY
    first = begin + 120
    number = 0
    while (at := first + number * 120 / 33) <= begin + _WORK:
        yield at
        number += 1


def _start(at: float, dtype: str, capacity: int) -> Iterator[tuple[float, int, str]]:
    yield at, 0, f"server_args=ServerArgs(model_path='/models/big', tp_size=8, kv_cache_dtype='{dtype}')"
    said = (
        f"max_total_num_tokens={capacity}, chunked_prefill_size=8192, max_prefill_tokens=16384, "
        "max_running_requests=2048, context_len=32768, available_gpu_mem=9.07 GB"
    )
    yield at + _STARTED, 0, said
    yield at + _STARTED + _READY - 1, 0, "The server is fired up and ready to roll!"


def _decode(running: int, capacity: int, usage: float, speed: float) -> str:
    return (
        f"Decode batch, #running-req: {running}, #token: {round(capacity * usage)}, token usage: {usage:.2f}, "
        f"cuda graph: True, gen throughput (token/s): {speed:.2f}, #queue-req: 0"
    )


def _prefill(running: int, usage: float) -> str:
    return (
        "Prefill batch, #new-seq: 1, #new-token: 50, #cached-token: 10, "
        f"token usage: {usage:.2f}, #running-req: {running}, #queue-req: 0, #pending-token: 0, cuda graph: False, "
        "input throughput (token/s): 9.24"
    )
