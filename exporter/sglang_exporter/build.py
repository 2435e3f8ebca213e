"""The whole made of a configuration: what `serve`, `once` and tests run."""

import time
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from sglang_exporter.clock import Clock
from sglang_exporter.config import Config
from sglang_exporter.follow.wake import Waker
from sglang_exporter.logs import Throttle
from sglang_exporter.metrics.collector import ExporterCollector, JobCollector, ServerCollector
from sglang_exporter.pipeline import Pipeline
from sglang_exporter.sources.job import Dataset, JobGroup
from sglang_exporter.sources.log import LogGroup
from sglang_exporter.sources.named import Named
from sglang_exporter.sources.source import Group
from sglang_exporter.state.store import Store
from sglang_exporter.web.collect import SafeCollector


@dataclass(frozen=True)
class Exporter:
    """The loop, what it folds into, and what a scrape reads."""

    pipeline: Pipeline
    store: Store
    registry: CollectorRegistry
    stale_after: float | None


def build(config: Config, clock: Clock, waker: Waker) -> Exporter:
    """Return the parts that follow what `config` names, wired; nothing is read yet."""
    store = Store()
    registry = CollectorRegistry(auto_describe=False)
    parts = {
        "servers": ServerCollector(store, clock, config.stale_after).collect,
        "jobs": JobCollector(store, clock).collect,
        "exporter": ExporterCollector(store, lambda: waker.backend).collect,
    }
    registry.register(SafeCollector(parts, time.perf_counter, Throttle(clock)))
    pipeline = Pipeline(_groups(config, store, clock), store, clock, waker)
    return Exporter(pipeline, store, registry, config.stale_after)


def _groups(config: Config, store: Store, clock: Clock) -> list[Group]:
    servers: dict[str, str] = {}
    named: dict[str, str] = {}
    datasets: dict[str, Dataset] = {}
    groups: list[Group] = []
    for server in config.servers:
        files = Named(server.logs, "server", server.name, servers)
        groups.append(LogGroup(server, files, store, clock, config.max_line_bytes))
    for job in config.jobs:
        files = Named(job.files, "dataset", job.name, named)
        groups.append(JobGroup(job, files, datasets, store, clock, config))
    return groups
