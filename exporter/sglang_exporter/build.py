"""The whole made of a configuration: what `serve`, `once` and tests run."""

import time
from dataclasses import dataclass

from prometheus_client import CollectorRegistry

from sglang_exporter.checkpoint_file import CheckpointFile
from sglang_exporter.clock import Clock
from sglang_exporter.config import Config
from sglang_exporter.follow.waker import Waker
from sglang_exporter.keeper import Keeper, load
from sglang_exporter.logs import Throttle
from sglang_exporter.metrics.collector import About, ExporterCollector, JobCollector, ServerCollector
from sglang_exporter.metrics.recent import Recent
from sglang_exporter.pipeline import Pipeline
from sglang_exporter.sources.job import JobGroup
from sglang_exporter.sources.saved import Saved
from sglang_exporter.sources.shared import Shared
from sglang_exporter.sources.source import Group
from sglang_exporter.state.store import Store
from sglang_exporter.web.collect import SafeCollector


@dataclass
class ReloadState:
    """Whether the configuration in force is the one on disk."""

    successful: bool = True


@dataclass(frozen=True)
class Exporter:
    """The loop, what it folds into, and what a scrape reads."""

    pipeline: Pipeline
    shared: Shared
    registry: CollectorRegistry
    recent: Recent
    reload: ReloadState
    keeper: Keeper | None


def build(config: Config, clock: Clock, waker: Waker, checkpoint: CheckpointFile | None = None) -> Exporter:
    """Return the parts that follow what `config` names, wired; nothing is read yet but the checkpoint."""
    saved = load(checkpoint) if checkpoint else Saved()
    shared = Shared(config, Store(), clock, waker, saved)
    shared.server_names, shared.dataset_names = saved.server_names, saved.dataset_names
    keeper = Keeper(checkpoint, shared, clock) if checkpoint else None
    registry = CollectorRegistry(auto_describe=False)
    reload = ReloadState()
    about = About(lambda: waker.backend, (lambda: keeper.age) if keeper else None, lambda: reload.successful)
    parts = {
        "servers": ServerCollector(shared.store, clock, lambda: shared.config.stale_after).collect,
        "jobs": JobCollector(shared.store, clock).collect,
        "exporter": ExporterCollector(shared.store, about).collect,
    }
    registry.register(SafeCollector(parts, shared.store.lock, time.perf_counter, Throttle(clock)))
    recent = Recent(shared.store, lambda: shared.config.stale_after)
    pipeline = Pipeline(shared, _groups, clock, waker, keeper, recent.look)
    return Exporter(pipeline, shared, registry, recent, reload, keeper)


def _groups(shared: Shared) -> list[Group]:
    return [*_logs(shared), *(JobGroup(job, shared) for job in shared.config.jobs)]


def _logs(shared: Shared) -> list[Group]:
    """Return the logs that are followed; where there are none, what reads them need not be loaded."""
    if not shared.config.servers:
        return []
    from sglang_exporter.sources.log import LogGroup  # noqa: PLC0415 -- a tenth of the time of a start

    return [LogGroup(server, shared) for server in shared.config.servers]
