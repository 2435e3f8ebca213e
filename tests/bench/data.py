"""Logs and output files to measure with, the same at each run, kept in $BENCH_DATA (/var/tmp/sglang-exporter-bench)."""

import json
import os
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

FOLDER = Path(os.environ.get("BENCH_DATA", "/var/tmp/sglang-exporter-bench"))  # noqa: S108 -- large, and kept
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
_BARE = (
    "Traceback (most recent call last):",
    '  File "/sgl-workspace/sglang/python/sglang/srt/managers/scheduler.py", line 2510, in run_scheduler_process',
    "\rCapturing batches (bs=8 avail_mem=8.40 GB):  40%|####      | 14/35 [00:05<00:02,  2.3it/s]",
)


def log(megabytes: int) -> Path:
    """Return a server log: 35 % Decode, 10 % Prefill, 50 % access lines, 5 % others, of eight ranks."""
    return _kept(f"server-{megabytes}.log", megabytes, _log_lines)


def outputs(megabytes: int) -> Path:
    """Return an output file of records of 16 KiB with tokens, finish reason and latency."""
    return _kept(f"outputs-{megabytes}.jsonl", megabytes, _records)


def _kept(name: str, megabytes: int, lines: Callable[[], Iterator[bytes]]) -> Path:
    path = FOLDER / name
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        with unfinished.open("wb", buffering=MEGABYTE) as file:
            size = 0
            for line in lines():
                size += file.write(line)
                if size >= megabytes * MEGABYTE:
                    break
        unfinished.rename(path)
    return path


def _log_lines() -> Iterator[bytes]:
    random = Random(1)
    now = datetime(2025, 7, 30, 10, 15)  # noqa: DTZ001 -- SGLang prints local time without a zone
    run, token, queue = 150, 349_707, 0
    for number in range(1 << 62):
        now += timedelta(seconds=number % 30 == 0)
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
        yield _line(random, f"{now:%Y-%m-%d %H:%M:%S}", values).encode() + b"\n"


def _line(random: Random, time: str, values: dict[str, float]) -> str:
    kind, ranked = random.random(), f"[{time} TP{random.randrange(8)}] "
    if kind < 0.35:
        return ranked + _LAYOUTS[random.random() < 0.3].format_map(values)
    if kind < 0.45:
        return ranked + _PREFILL.format_map(values)
    if kind < 0.95:
        request, status, port = random.choice(_REQUESTS), random.choice(_STATUSES), random.randrange(32768, 61000)
        return f"[{time}] {_ACCESS.format(port=port, request=request, status=status)}"
    return random.choice(_BARE) if random.random() < 0.4 else ranked + random.choice(_OTHERS)


def _records() -> Iterator[bytes]:
    random = Random(1)
    texts = [_text(random, 16_000) for _ in range(100)]
    for number in range(1 << 62):
        tokens, text = max(1, int(random.gauss(4100, 600))), random.choice(texts)
        at = random.randrange(len(text))
        record = {
            "id": f"request-{number:08}",
            "prompt": text[:2000],
            "response": text[at:] + text[:at],
            "usage": {"prompt_tokens": random.randint(50, 3000), "completion_tokens": tokens},
            "finish_reason": "stop" if random.random() < 0.9 else "length",
            "latency": round(random.uniform(5, 90), 3),
        }
        yield json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _text(random: Random, length: int) -> str:
    """Return an answer as models write them: mostly English, a fifth of its lines other writing, code and formulas."""
    lines: list[str] = []
    while sum(map(len, lines)) < length:
        lines.append(" ".join(random.choices(_PLAIN, k=40) if random.random() < 0.8 else random.choices(_OTHER, k=8)))
    return "\n".join(lines)
