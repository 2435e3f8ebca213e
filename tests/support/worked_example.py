"""The worked example of the design, simulated: a job on 8 GPUs under a bf16 KV cache, then restarted with an FP8 one.

116,000 tokens fit, 46 requests run and make 600 tok/s; after the restart 376,029 fit, 150 run and make 1351. What is
simulated is the scheduler: it lets a request in while the KV cache has room for what it expects all to become, and sends
the newest back when it was wrong.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import Random
from typing import NamedTuple

from sglang_exporter.recording import Delivery

CLIENTS = 158
PROMPT = 100
LONGEST = 8192
LOOK_AHEAD = 4096
STEPS_PER_LINE = 40
HOUR = 3600.0
RUNNING_UP = 150.0
DOWN = 40.0
TOTAL = 88_000


class Run(NamedTuple):
    """A run of the server: seconds after the beginning of the example, the KV cache's type and its tokens."""

    begins: float
    ends: float
    kv_cache_dtype: str
    capacity: int


RUNS = (Run(300, 2.6 * HOUR, "auto", 116_000), Run(2.6 * HOUR + DOWN, 6.0 * HOUR, "fp8_e4m3", 376_029))


@dataclass
class Request:
    """A request of the job, and how many of its tokens are there."""

    number: int
    length: int
    submitted: float
    generated: int = 0

    @property
    def tokens(self) -> int:
        return PROMPT + self.generated


@dataclass
class Simulation:
    """The server and its client; `began` is in seconds since the epoch, as are all times."""

    began: float
    random: Random = field(default_factory=lambda: Random(8))
    numbers: int = 0
    running: list[Request] = field(default_factory=list)
    queue: list[Request] = field(default_factory=list)
    printed: float = 0.0
    """When the server last printed a Decode line, or that it may begin: its speed is an average since then."""
    ratio: float = 0.7
    """How much of what a request may still become the scheduler expects of it."""

    def deliveries(self) -> Iterator[Delivery]:
        """Yield all lines of both files."""
        for run in RUNS:
            yield from self._killed(self.began + run.begins)
            yield from self._run(run)

    def _run(self, run: Run) -> Iterator[Delivery]:
        now = self.began + run.begins
        yield from self._starting(run, now)
        now += RUNNING_UP
        self._submit(now)
        while now < self.began + run.ends:
            yield from self._admit(run, now)
            now += STEPS_PER_LINE * self._step_seconds()
            yield from self._decode(run, now)

    def _starting(self, run: Run, now: float) -> Iterator[Delivery]:
        arguments = {"model_path": "/models/glm-4.6", "tp_size": 8, "mem_fraction_static": 0.9}
        yield self._say(now, f"server_args={arguments | {'kv_cache_dtype': run.kv_cache_dtype}!r}", rank="")
        limits = "chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, context_len=32768"
        yield self._say(now + 120, f"max_total_num_tokens={run.capacity}, {limits}, available_gpu_mem=6.67 GB")
        self.printed = now + 120
        yield self._say(now + RUNNING_UP, "The server is fired up and ready to roll!")

    def _submit(self, now: float) -> None:
        """Have the client send until it has all its requests under way."""
        while len(self.running) + len(self.queue) < CLIENTS:
            self.numbers += 1
            length = min(LONGEST, max(60, round(self.random.gammavariate(11, 4100 / 11))))
            self.queue.append(Request(self.numbers, length, now))

    def _admit(self, run: Run, now: float) -> Iterator[Delivery]:
        admitted = 0
        while self.queue and self._expected() + PROMPT + self.ratio * LOOK_AHEAD < run.capacity:
            self.running.append(self.queue.pop(0))
            admitted += 1
        self.ratio = max(0.07, self.ratio - 0.001 * STEPS_PER_LINE)
        if admitted:
            news = f"#new-seq: {admitted}, #new-token: {admitted * (PROMPT - 40)}, #cached-token: {admitted * 40}"
            state = f"token usage: {self._used() / run.capacity:.2f}, #running-req: {len(self.running) - admitted}"
            yield self._say(now, f"Prefill batch, {news}, {state}, #queue-req: {len(self.queue)}, #pending-token: 0")

    def _decode(self, run: Run, now: float) -> Iterator[Delivery]:
        made = 0
        for request in list(self.running):
            made += min(STEPS_PER_LINE, request.length - request.generated)
            request.generated = min(request.length, request.generated + STEPS_PER_LINE)
            if request.generated == request.length:
                self.running.remove(request)
                yield from self._finished(request, now)
        yield from self._retract(run, now)
        self._submit(now)
        state = (
            f"#running-req: {len(self.running)}, #token: {self._used()}, token usage: {self._used() / run.capacity:.2f}"
        )
        speed = f"cuda graph: True, gen throughput (token/s): {made / (now - self.printed):.2f}, #queue-req: {len(self.queue)}"
        self.printed = now
        yield self._say(now, f"Decode batch, {state}, {speed}")

    def _retract(self, run: Run, now: float) -> Iterator[Delivery]:
        back: list[Request] = []
        while self._used() > run.capacity * (0.9 if back else 1.0):
            back.append(self.running.pop())
        if back:
            self.queue[:0] = back
            old, self.ratio = self.ratio, 0.5
            text = f"#retracted_reqs: {len(back)}, #new_token_ratio: {old:.4f} -> {self.ratio:.4f}"
            yield self._say(now, f"KV cache pool is full. Retract requests. {text}")

    def _finished(self, request: Request, now: float) -> Iterator[Delivery]:
        yield self._say(now, 'INFO:     127.0.0.1:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK', rank="")
        usage = {"prompt_tokens": PROMPT, "completion_tokens": request.length}
        reason = "length" if request.length == LONGEST else "stop"
        yield self._record(request, now, {"status": 200, "usage": usage, "finish_reason": reason, "text": "text"})

    def _killed(self, now: float) -> Iterator[Delivery]:
        for request in self.running:
            error = "RemoteProtocolError: Server disconnected without sending a response."
            yield self._record(request, now, {"error": error})
        self.running, self.queue = [], []

    def _record(self, request: Request, now: float, said: dict[str, object]) -> Delivery:
        times = {"submitted_at": request.submitted, "finished_at": now, "latency_s": round(now - request.submitted, 4)}
        line = json.dumps({"custom_id": f"b2-{request.number:06}", "max_tokens": LONGEST, **times, **said})
        return Delivery(now - self.began, "raw_responses.jsonl", f"{line}\n".encode())

    def _say(self, now: float, text: str, rank: str = " TP0") -> Delivery:
        return Delivery(now - self.began, "server.log", f"[{_stamp(now)}{rank}] {text}\n".encode())

    def _used(self) -> int:
        return sum(request.tokens for request in self.running)

    def _expected(self) -> float:
        return self._used() + self.ratio * sum(max(0, LOOK_AHEAD - request.generated) for request in self.running)

    def _step_seconds(self) -> float:
        return 0.0615 + 0.0002825 * len(self.running) + 2.04e-8 * self._used()


def _stamp(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%d %H:%M:%S")
