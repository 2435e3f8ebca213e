"""A page that lives: what a working server changes in it changes with time, differently in each box."""

import math
import re

SAMPLE = re.compile(r"^(\w+)(\{.*\})? (\S+)$")
# What grows by so much a second; other counters stay.
RATES = {
    "sglang_server_generated_tokens_total": 900.0,
    "sglang_server_prefill_tokens_total": 60.0,
    "sglang_server_cached_tokens_total": 20.0,
    "sglang_server_prefill_sequences_total": 0.3,
    "sglang_server_http_requests_total": 0.3,
    "sglang_job_completions_total": 0.3,
    "sglang_job_records_total": 0.3,
    "sglang_job_output_tokens_total": 900.0,
    "sglang_job_input_tokens_total": 30.0,
    "sglang_job_done": 0.3,
    "sglang_job_succeeded": 0.3,
    "sglang_exporter_lines_total": 0.1,
    "sglang_exporter_bytes_total": 500.0,
    "process_cpu_seconds_total": 0.01,
}
# What goes up and down, by this share of itself.
WAVES = {
    "sglang_server_token_usage_ratio": 0.1,
    "sglang_server_used_tokens": 0.1,
    "sglang_server_running_requests": 0.1,
    "sglang_server_queued_requests": 0.9,
    "sglang_server_gen_throughput_tokens_per_second": 0.2,
    "sglang_server_input_throughput_tokens_per_second": 0.2,
    "sglang_job_completions_per_second": 0.1,
    "sglang_job_output_tokens_per_second": 0.1,
}
NOW = {
    "sglang_server_last_batch_timestamp_seconds": 0.0,
    "sglang_server_last_line_timestamp_seconds": 0.0,
    "sglang_job_last_completion_timestamp_seconds": 0.0,
    "sglang_job_eta_low_timestamp_seconds": 80000.0,
    "sglang_job_eta_timestamp_seconds": 100000.0,
    "sglang_job_eta_high_timestamp_seconds": 150000.0,
}
# Not on the page of `once`, which follows nothing.
FOLLOWING = """\
process_start_time_seconds 1.79e+09
process_cpu_seconds_total 10
process_resident_memory_bytes 5e+07
process_virtual_memory_bytes 3e+08
process_open_fds 20
process_max_fds 1e+06
sglang_exporter_checkpoint_age_seconds 3
"""
LIVE = ("sglang_job_eta_low", "sglang_job_eta", "sglang_job_eta_high")
TROUBLED_USAGE = 0.97
BUCKETS = re.compile(r"_(?:bucket|count|sum)$")


class Life:
    """The page of one box. A troubled one has a full KV cache, requests that fail, and retracts all the time."""

    def __init__(self, page: str, number: int, *, troubled: bool) -> None:
        self._samples = [_split(line) for line in _lines(page) if not line.startswith("#")]
        self._number = number
        self._troubled = troubled
        self._born: float | None = None

    @property
    def series(self) -> int:
        """How many series the page has."""
        return len(self._samples)

    def page(self, now: float) -> bytes:
        """Return the page at a time in seconds since the epoch."""
        if self._born is None:
            self._born = now
        age = now - self._born
        return "".join(
            f"{key} {self._value(name, key, base, now, age):.10g}\n" for name, key, base in self._samples
        ).encode()

    def _value(self, name: str, key: str, base: float, now: float, age: float) -> float:
        if self._troubled and (value := self._trouble(name, key, base, age)) is not None:
            return value
        if name in RATES:
            return base + RATES[name] * age * (1 + self._number % 7 / 10)
        if name in WAVES:
            return base * (1 + WAVES[name] * math.sin(now / 60 + self._number))
        if name == "sglang_server_phase":  # the log of a box is too short to be told from a warm-up
            return float('phase="steady"' in key)
        if name in NOW:
            return now + NOW[name]
        return base * (1 + age / 3600) if BUCKETS.search(name) else base

    def _trouble(self, name: str, key: str, base: float, age: float) -> float | None:
        match name:
            case "sglang_server_token_usage_ratio" if 'pool="cpu"' not in key:
                return TROUBLED_USAGE
            case "sglang_server_retractions_total":
                return base + age / 20
            case "sglang_job_errors_total" if 'reason="timeout"' in key:
                return base + age / 10
        return None


def _lines(page: str) -> list[str]:
    live = [f"{name}_timestamp_seconds{labels} 0" for labels in _datasets(page) for name in LIVE]
    return [*page.splitlines(), *FOLLOWING.splitlines(), *live]


def _datasets(page: str) -> list[str]:
    return re.findall(r"^sglang_job_expected(\{.*\}) ", page, re.MULTILINE)


def _split(line: str) -> tuple[str, str, float]:
    found = SAMPLE.match(line)
    assert found, line
    return found[1], f"{found[1]}{found[2] or ''}", float(found[3])
