"""The page at `/` of servers, jobs and sources that are made up."""

from array import array
from collections.abc import Iterator, Mapping

from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.metrics.recent import MOMENTS, Hour, Key
from sglang_exporter.overview.page import Seen, page

NOW = 1_795_946_400.0
"""10:00 UTC on 2026-11-29."""


def hour(**figures: float) -> Hour:
    """Return an hour in which figures did not change."""
    return {name: array("f", [value]) * MOMENTS for name, value in figures.items()}


def add_server(samples: Page, name: str, running: float = 4.0, phase: str = "steady") -> None:
    """Add a server and its source, as /metrics has them."""
    labels = Labels({"server": name, "engine": "", "dp_rank": ""})
    samples.add("sglang_exporter_alert_threshold", labels, 0.9, alert="kv_cache_saturated", profile="batch")
    samples.add("sglang_server_running_requests", labels, running)
    samples.add("sglang_server_queued_requests", labels, 3.0)
    samples.add("sglang_server_gen_throughput_tokens_per_second", labels, 1234.5)
    samples.add("sglang_server_token_usage_ratio", labels, 0.75, pool="kv")
    samples.add("sglang_server_phase", labels, 1, phase=phase)
    samples.add("sglang_server_info", labels, 1, model=name)
    add_source(samples, f"log:{name}")


def add_job(samples: Page, name: str, done: float = 50.0) -> None:
    """Add a data set and its source, as /metrics has them."""
    labels = Labels({"dataset": name})
    for metric, value in (("done", done), ("expected", 200.0), ("errors_total", 2.0), ("malformed_lines_total", 1.0)):
        samples.add(f"sglang_job_{metric}", labels, value)
    for metric in ("completions_per_second", "output_tokens_per_second"):
        samples.add(f"sglang_job_{metric}", labels, 7.0, window="2m")
    for which, after in (("", 3600.0), ("low_", 3000.0), ("high_", 9000.0)):
        samples.add(f"sglang_job_eta_{which}timestamp_seconds", labels, NOW + after)
    add_source(samples, f"outputs:{name}")


def add_source(samples: Page, label: str, *, up: bool = True, caught_up: bool = True, behind: float = 0.0) -> None:
    """Add a source, as /metrics has it."""
    labels = Labels({"source": label})
    for metric, value in (
        ("source_up", up),
        ("source_caught_up", caught_up),
        ("source_files", up),
        ("lag_bytes", behind),
    ):
        samples.add(f"sglang_exporter_{metric}", labels, value)
    if caught_up:
        samples.add("sglang_exporter_bytes_total", labels, 1e6)
        samples.add("sglang_exporter_lost_bytes_total", labels, 0)
        samples.add("sglang_exporter_unrecognised_lines_total", labels, 3, reason="damaged")


def html(
    samples: Page,
    troubles: Mapping[str, str] | None = None,
    hours: Hour | None = None,
    *,
    unwell: str | None = None,
    unready: str | None = None,
    looked: int = MOMENTS,
) -> str:
    """Return the page of these samples; each server and job has the same hour."""
    families = list(samples.families())
    hours = hours or hour(speed=900.0, running=4.0, queued=0.0, usage=0.5, tokens=7.0, completions=7.0, done=50.0)
    keys = {key for family in families for sample in family.samples for key in _keys(sample.labels)}
    return page(Seen(NOW, families, dict.fromkeys(keys, hours), looked, troubles or {}, frozenset(), unwell, unready))


def _keys(labels: Mapping[str, str]) -> Iterator[Key]:
    if "server" in labels:
        yield "server", labels["server"]
    if "dataset" in labels:
        yield "job", labels["dataset"]
