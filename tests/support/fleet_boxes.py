"""Kinds of box in a fleet, as the real exporter shows them: their logs and output files, read to the end."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from prometheus_client.exposition import generate_latest

from sglang_exporter.config_file import load_config
from sglang_exporter.once import read_to_the_end
from support.servers import access, decode, prefill, start

CAPACITY = (
    "max_total_num_tokens=376029, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048,"
    " context_len=40960, available_gpu_mem=6.67 GB"
)
POOLS = (
    "Decode batch, #running-req: 90, #full token: 250000, full token usage: 0.66, #swa token: 40000,"
    " swa token usage: 0.71, mamba num: 90, mamba usage: 0.40, cuda graph: True, gen throughput (token/s): 900.00,"
    " #queue-req: 3"
)
RETRACTION = "KV cache pool is full. Retract requests. #retracted_reqs: 2, #new_token_ratio: 0.5000 -> 0.6000"


def said(time: str, message: str, ranks: str = "") -> str:
    return f"[2026-11-29 {time}{ranks}] {message}"


def log(ranks: tuple[str, ...] = ("",), batch: Callable[[str, str], str] | None = None) -> Iterator[str]:
    """Yield the lines of a server that has worked for some minutes, with so many ranks."""
    yield start("10:00:00", dp_size=len(ranks), served_model_name="qwen3-30b")
    for rank in ranks:
        yield said("10:00:30", CAPACITY, rank)
    yield said("10:00:40", "The server is fired up and ready to roll!")
    for minute in range(1, 31):
        for rank in ranks:
            yield prefill(f"10:{minute:02}:00", running=100, queue=20, ranks=rank, new=800)
            yield (
                batch(f"10:{minute:02}:02", rank)
                if batch
                else decode(f"10:{minute:02}:02", running=150, queue=20, speed=1351.4, ranks=rank, usage=0.85)
            )
        yield access(f"10:{minute:02}:03", "/v1/chat/completions")
        yield access(f"10:{minute:02}:03", "/health", "GET")
        yield said(f"10:{minute:02}:04", RETRACTION, ranks[0])


def records(count: int = 200) -> Iterator[str]:
    """Yield the records of a job in the form of OpenAI's answers."""
    for number in range(count):
        usage = {"prompt_tokens": 100, "completion_tokens": 3000 + 10 * number, "total_tokens": 3100 + 10 * number}
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "text"}}
        yield json.dumps({"id": f"r{number}", "object": "chat.completion", "choices": [choice], "usage": usage})


def page(servers: dict[str, Iterator[str]], datasets: tuple[str, ...] = (), profile: str = "batch") -> str:
    """Return the page of an exporter that follows these servers and data sets."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for server, lines in servers.items():
            (folder / f"{server}.log").write_text("".join(f"{line}\n" for line in lines))
        for dataset in datasets:
            (folder / f"{dataset}.jsonl").write_text("".join(f"{line}\n" for line in records()))
        config = {
            "servers": [{"logs": f"{folder}/{{server}}.log", "profile": profile}],
            "jobs": [
                {"files": f"{folder}/{one}.jsonl", "total": 88000, "deadline": "2027-01-01 00:00Z"} for one in datasets
            ],
        }
        (folder / "config.yaml").write_text(json.dumps(config))
        exporter = read_to_the_end(load_config(folder / "config.yaml"))
        return generate_latest(exporter.registry).decode()


def ray_lines() -> Iterator[str]:
    """Yield the output of four engines of a Ray job, in one log."""
    for engine in range(4):
        for line in log():
            yield f"(SGLangEngine pid={100 + engine}, ip=10.0.0.{engine}) {line}"


BOXES: dict[str, Callable[[], str]] = {
    "one server, one data set": lambda: page({"qwen": log()}, ("math",)),
    "one online server": lambda: page({"llama": log()}, profile="online"),
    "eight DP ranks, one data set": lambda: page(
        {"deepseek": log(tuple(f" DP{n} TP{n}" for n in range(8)))}, ("code",)
    ),
    "hybrid pools": lambda: page({"hybrid": log(batch=lambda time, rank: said(time, POOLS, rank))}, profile="online"),
    "four engines of Ray": lambda: page({"rollout": ray_lines()}),
}
