"""Writes the data to measure with: `python -m bench.generate log|outputs MEGABYTES FILE`, some 300 MB a second.

A process of its own, for whoever measures must stay small: no command peaks below the process that starts it. What is
slow to make, texts and lines, is made once and comes again and again, in another order with other times, numbers and
ids; of all but ids and times there are more than any cache can hold.
"""

import json
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

MEGABYTE = 10**6
_POOL = 376_029
_DECODE = "#running-req: {run}, #token: {token}, token usage: {use:.2f}, "
_SPEED = "cuda graph: True, gen throughput (token/s): {speed:.2f}, #queue-req: {queue}"
_LAYOUTS = (
    f"Decode batch. {_DECODE}{_SPEED}, ",
    f"Decode batch, {_DECODE}accept len: {{length:.2f}}, accept rate: {{rate:.2f}}, {_SPEED}",
)
_PREFILL = (
    "Prefill batch. #new-seq: {new}, #new-token: {token}, #cached-token: {cached}, token usage: {use:.2f}, "
    "#running-req: {run}, #queue-req: {queue}, "
)
_ACCESS = 'INFO:     127.0.0.1:{port} - "{request} HTTP/1.1" {status}'
_REQUESTS = ("POST /v1/chat/completions",) * 4 + ("POST /generate", "GET /health")
_STATUSES = ("200 OK",) * 97 + ("503 Service Unavailable", "400 Bad Request", "500 Internal Server Error")
_OTHERS = (
    "KV cache pool is full. Retract requests. #retracted_reqs: 3, #new_token_ratio: 0.4211 -> 0.8123",
    "Cache flushed successfully!",
    "Load weight end. type=Qwen3MoeForCausalLM, dtype=torch.bfloat16, avail mem=20.60 GB, mem usage=54.87 GB.",
)
_BARE = (
    "Traceback (most recent call last):",
    '  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2510, in run_scheduler_process',
    "\rCapturing batches (bs=8 avail_mem=8.40 GB):  40%|####      | 14/35 [00:05<00:02,  2.3it/s]",
)
_PLAIN = [
    "the",
    "of",
    "and",
    "to",
    "in",
    "is",
    "that",
    "for",
    "it",
    "tensor",
    "gradient",
    "attention",
    "kernel",
    "throughput",
    "latency",
    "window",
    "token",
]
_OTHER = ("naïve", "größer", "数据", "→", "≤", '"quoted"', "C:\\path", "tab\there", "\\frac{1}{2}", 'print("hi")')
_TIME = "\0"
"""Stands for the time in lines that are used again."""
_SECONDS, _IN_A_SECOND, _SPELLS = 10, 30, 300
_TEXTS, _TURNS = 100, 10
_HEAD = b'{"id": "request-%08d", %b, "usage": {"prompt_tokens": %d, "completion_tokens": %d}, '
_TAIL = b'"finish_reason": "%b", "latency": %b}\n'


def write(blocks: Iterator[bytes], size: int, path: Path) -> None:
    """Write blocks of whole lines until the file has so many bytes."""
    with path.open("wb", buffering=MEGABYTE) as file:
        written = 0
        while written < size:
            written += file.write(next(blocks))


def log_seconds() -> Iterator[bytes]:
    """Yield the lines of one second after the other: 35 % Decode, 10 % Prefill, 50 % access lines, 5 % others."""
    random = Random(1)
    lines = _lines(random)
    spells = [[_second(lines) for _ in range(_SECONDS)] for _ in range(_SPELLS)]
    now = datetime(2025, 7, 30, 10, 15)  # noqa: DTZ001 -- SGLang prints local time without a zone
    while True:
        for second in random.choice(spells):
            now += timedelta(seconds=1)
            yield second.replace(_TIME.encode(), f"{now:%Y-%m-%d %H:%M:%S}".encode())


def records() -> Iterator[bytes]:
    """Yield records of 16 KiB with tokens, finish reason and latency, each with an id of its own."""
    random = Random(1)
    bodies = [body for _ in range(_TEXTS) for body in _bodies(random)]
    for number in range(1 << 62):
        tokens, reason = max(1, int(random.gauss(4100, 600))), b"stop" if random.random() < 0.9 else b"length"
        latency = repr(round(random.uniform(5, 90), 3)).encode()
        head = _HEAD % (number, random.choice(bodies), random.randint(50, 3000), tokens)
        yield head + _TAIL % (reason, latency)


KINDS: dict[str, Callable[[], Iterator[bytes]]] = {"log": log_seconds, "outputs": records}


def _second(lines: Iterator[str]) -> bytes:
    return "".join(f"{next(lines)}\n" for _ in range(_IN_A_SECOND)).encode()


def _lines(random: Random) -> Iterator[str]:
    run, token, queue = 150, 349_707, 0
    while True:
        run = max(1, min(256, run + random.randint(-3, 3)))
        token = max(0, min(_POOL, token + random.randint(-5000, 5000)))
        queue = max(0, queue + random.randint(-2, 2))
        values = {"run": run, "token": token, "use": token / _POOL, "queue": queue, "speed": random.uniform(0, 6000)}
        values |= {
            "length": random.uniform(1, 4),
            "rate": random.random(),
            "new": random.randint(1, 8),
            "cached": token // 3,
        }
        yield _line(random, values)


def _line(random: Random, values: dict[str, float]) -> str:
    kind, ranked = random.random(), f"[{_TIME} TP{random.randrange(8)}] "
    if kind < 0.35:
        return ranked + _LAYOUTS[random.random() < 0.3].format_map(values)
    if kind < 0.45:
        return ranked + _PREFILL.format_map(values)
    if kind < 0.95:
        request, status, port = random.choice(_REQUESTS), random.choice(_STATUSES), random.randrange(32768, 61000)
        return f"[{_TIME}] {_ACCESS.format(port=port, request=request, status=status)}"
    return random.choice(_BARE) if random.random() < 0.4 else ranked + random.choice(_OTHERS)


def _bodies(random: Random) -> Iterator[bytes]:
    """Yield prompt and response of records, all of one text, whose response begins anywhere in it."""
    text = _text(random, 16_000)
    for _ in range(_TURNS):
        at = random.randrange(len(text))
        body = {"prompt": text[:2000], "response": text[at:] + text[:at]}
        yield json.dumps(body, ensure_ascii=False)[1:-1].encode()


def _text(random: Random, length: int) -> str:
    """Return an answer as models write them: mostly English, a fifth of its lines other writing, code and formulas."""
    lines: list[str] = []
    while sum(map(len, lines)) < length:
        lines.append(" ".join(random.choices(_PLAIN, k=40) if random.random() < 0.8 else random.choices(_OTHER, k=8)))
    return "\n".join(lines)


if __name__ == "__main__":
    write(KINDS[sys.argv[1]](), int(sys.argv[2]) * MEGABYTE, Path(sys.argv[3]))
