"""Ten days of a box, as series for promtool: what an exporter shows of a healthy batch job and of a healthy online server."""

import math
from collections.abc import Iterator
from random import Random

from msgspec.structs import asdict

from sglang_exporter.config import Thresholds

MINUTES = 10 * 24 * 60
DAY = 24 * 60
PHASES = ("starting", "warmup", "steady", "drain", "idle", "stalled", "down")
THRESHOLDS = asdict(Thresholds())

Series = dict[str, list[float | None]]


class Box:
    """The series of one exporter, a value a minute; None is no sample."""

    def __init__(self, instance: str, seed: int) -> None:
        self.random = Random(seed)
        self.series: Series = {}
        self._instance = instance
        self.constant("up", 1)
        self.constant("sglang_exporter_build_info", 1)
        self.constant("process_start_time_seconds", 1000)
        self.constant("sglang_exporter_config_last_reload_successful", 1)
        self.add("sglang_exporter_checkpoint_age_seconds", "", (self.random.uniform(1, 60) for _ in range(MINUTES)))

    def add(self, name: str, labels: str, values: Iterator[float | None] | list[float | None]) -> None:
        """Add a series; `labels` are those beside job and instance."""
        own = f'job="sglang-exporter",instance="{self._instance}:17461"'
        self.series[f"{name}{{{own}{',' if labels else ''}{labels}}}"] = list(values)

    def constant(self, name: str, value: float, labels: str = "") -> None:
        self.add(name, labels, [value] * MINUTES)

    def count(self, name: str, labels: str, amounts: list[float]) -> None:
        """Add a counter that rises by an amount a minute."""
        total, totals = 0.0, []
        for amount in amounts:
            total += amount
            totals.append(total)
        self.add(name, labels, iter(totals))

    def server(self, name: str, profile: str) -> None:
        """Add what every server shows."""
        for alert, value in THRESHOLDS.items():
            labels = f'server="{name}",alert="{alert}",profile="{profile}"'
            self.constant("sglang_exporter_alert_threshold", value, labels)
        self.constant("sglang_server_starts_total", 1, f'server="{name}"')
        for kind in ("exception", "out_of_memory", "nccl", "nan", "watchdog"):
            self.constant("sglang_server_errors_total", 0, f'server="{name}",kind="{kind}"')
        source = f'source="log:{name}"'
        self.constant("sglang_exporter_source_up", 1, source)
        self.constant("sglang_exporter_lost_bytes_total", 0, source)
        torn = [float(self.random.random() < 1 / 60) for _ in range(MINUTES)]
        self.count("sglang_exporter_unrecognised_lines_total", f'{source},reason="torn_line"', torn)

    def phases(self, name: str, present: list[str]) -> None:
        """Add the state set of a server."""
        for phase in PHASES:
            values = [float(one == phase) for one in present]
            self.add("sglang_server_phase", f'server="{name}",phase="{phase}"', iter(values))

    def answers(self, name: str, requests: list[float], failing: float) -> None:
        """Add what the access log counts: requests a minute, and the share that fails."""
        labels = f'server="{name}",method="POST",handler="/v1/chat/completions"'
        failed = [sum(self.random.random() < failing for _ in range(int(n))) for n in requests]
        good = [n - bad for n, bad in zip(requests, failed, strict=True)]
        self.count("sglang_server_http_requests_total", f'{labels},code="200"', good)
        self.count("sglang_server_http_requests_total", f'{labels},code="503"', [float(bad) for bad in failed])


def batch_job(instance: str) -> Box:
    """Return a box that generates 285,000 answers: a full cache now and then, always a queue, now and then a retraction."""
    box = Box(instance, seed=1)
    box.server("qwen", "batch")
    one = 'server="qwen"'
    box.phases("qwen", ["starting"] * 3 + ["warmup"] * 40 + ["steady"] * (MINUTES - 43))
    # Usage climbs while answers grow, and falls when many of them end together.
    usage = [0.5 if m < 10 else 0.88 + 0.07 * math.sin(m / 2) + box.random.uniform(-0.02, 0.02) for m in range(MINUTES)]
    running = [round(u / 0.93 * 150) for u in usage]
    box.add("sglang_server_token_usage_ratio", f'{one},pool="kv"', iter(usage))
    box.add("sglang_server_used_tokens", f'{one},pool="kv"', (u * 376029 for u in usage))
    box.constant("sglang_server_capacity_tokens", 376029, one)
    box.constant("sglang_server_max_running_requests", 2048, one)
    box.add("sglang_server_running_requests", one, iter([float(n) for n in running]))
    box.add("sglang_server_queued_requests", one, (float(box.random.randint(20, 80)) for _ in range(MINUTES)))
    speed = [1351 * box.random.uniform(0.85, 1.1) * 60 for _ in range(MINUTES)]
    box.count("sglang_server_generated_tokens_total", one, speed)
    box.count("sglang_server_prefill_tokens_total", one, [s / 20 for s in speed])
    box.count("sglang_server_retractions_total", one, [float(box.random.random() < 0.3) for _ in range(MINUTES)])
    box.add("sglang_server_last_batch_timestamp_seconds", one, (60.0 * m for m in range(MINUTES)))
    box.add("sglang_server_last_line_timestamp_seconds", one, (60.0 * m for m in range(MINUTES)))
    finished = [float(sum(box.random.random() < 0.33 for _ in range(60))) for _ in range(MINUTES)]
    box.answers("qwen", finished, failing=0.002)
    _job(box, "math", finished)
    return box


def _job(box: Box, dataset: str, finished: list[float]) -> None:
    one = f'dataset="{dataset}"'
    failed = [float(box.random.random() < 0.1) for _ in finished]
    box.count("sglang_job_completions_total", one, finished)
    box.count("sglang_job_errors_total", f'{one},reason="timeout"', failed)
    box.count("sglang_job_output_tokens_total", one, [n * 4000 for n in finished])
    box.constant("sglang_job_failed_output_tokens_total", 0, one)
    box.constant("sglang_job_expected", 300000, one)
    box.count("sglang_job_done", one, [a + b for a, b in zip(finished, failed, strict=True)])
    box.add("sglang_job_last_completion_timestamp_seconds", one, (60.0 * m for m in range(MINUTES)))
    box.constant("sglang_job_deadline_timestamp_seconds", 12 * 86400, one)
    for name, end in (("eta_low", 10.2), ("eta", 10.6), ("eta_high", 11.5)):
        drift = (end * 86400 + 7200 * math.sin(m / 200) for m in range(MINUTES))
        box.add(f"sglang_job_{name}_timestamp_seconds", one, drift)
    box.constant("sglang_exporter_source_up", 1, 'source="outputs:math"')


def online_server(instance: str) -> Box:
    """Return a box with two DP ranks: busy by day, a lunch-time peak with a short queue, pauses without a request by night."""
    box = Box(instance, seed=2)
    box.server("llama", "online")
    load = [_load(box.random, minute) for minute in range(MINUTES)]
    box.phases("llama", ["idle" if n == 0 else "steady" for n in load])
    for rank in ("0", "1"):
        one = f'server="llama",dp_rank="{rank}"'
        running = [None if n == 0 else float(max(1, round(n * box.random.uniform(0.85, 1.15)))) for n in load]
        usage = [None if n is None else min(0.97, n / 68) for n in running]
        queued = [None if u is None else float(box.random.randint(1, 6)) if u > 0.9 else 0.0 for u in usage]
        box.add("sglang_server_running_requests", one, iter(running))
        box.add("sglang_server_queued_requests", one, iter(queued))
        for pool, share in (("kv", 1.0), ("full", 1.0), ("swa", 0.4)):
            box.add("sglang_server_token_usage_ratio", f'{one},pool="{pool}"', (u and u * share for u in usage))
        box.add("sglang_server_used_tokens", f'{one},pool="kv"', (u and u * 400000 for u in usage))
        box.constant("sglang_server_capacity_tokens", 400000, one)
        box.constant("sglang_server_max_running_requests", 256, one)
        # A batch twice as large is not twice as fast.
        speed = [0.0 if n is None else 60 * 70 * n**0.85 * box.random.uniform(0.9, 1.1) for n in running]
        box.count("sglang_server_generated_tokens_total", one, speed)
        box.count("sglang_server_prefill_tokens_total", one, [s * 2 for s in speed])
        box.constant("sglang_server_retractions_total", 3, one)
        box.add("sglang_server_last_batch_timestamp_seconds", one, _last(running))
    box.add("sglang_server_schedulers", 'server="llama",state="live"', (2.0 * (n > 0) for n in load))
    box.add("sglang_server_schedulers", 'server="llama",state="silent"', (2.0 * (n == 0) for n in load))
    box.constant("sglang_server_start_timestamp_seconds", 0, 'server="llama"')
    box.add("sglang_server_last_line_timestamp_seconds", 'server="llama"', (60.0 * m for m in range(MINUTES)))
    box.answers("llama", [float(3 * n) for n in load], failing=0.002)
    return box


def _load(random: Random, minute: int) -> int:
    """Return the mean number of requests that run in a rank at a minute of the ten days."""
    hour = minute % DAY / 60
    if hour < 5:
        return int(random.random() < 0.3)
    if 12 <= hour < 12 + 4 / 60:
        return 64
    return round(4 + 34 * math.sin((hour - 5) / 19 * math.pi) * random.uniform(0.9, 1.1))


def _last(running: list[float | None]) -> Iterator[float]:
    last = 0.0
    for minute, number in enumerate(running):
        last = last if number is None else 60.0 * minute
        yield last
