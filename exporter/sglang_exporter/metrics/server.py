"""Servers to samples."""

from collections.abc import Mapping
from typing import get_args

from sglang_exporter.metrics.catalogue import BY_NAME
from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.state.engine import ERROR_KINDS, Engine
from sglang_exporter.state.phase import Phase
from sglang_exporter.state.scheduler import Scheduler
from sglang_exporter.state.server import ServerState

_PREFIX = "sglang_server_"
_PHASES: tuple[str, ...] = get_args(Phase)
_ERRORS = sorted(set(ERROR_KINDS.values()))
_INFO_LABELS = frozenset(BY_NAME["sglang_server_info"].labels)


def export_server(page: Page, server: Labels, state: ServerState, now: float, stale_after: float | None) -> None:
    """Add the samples of one server, gauges only while they are believable at `now`."""
    for engine_name, engine in state.engines.items():
        labels = server.within(engine=engine_name)
        _export_engine(page, labels, engine, now, stale_after)
        for dp_rank, scheduler in engine.schedulers.items():
            _export_scheduler(page, labels.within(dp_rank=dp_rank), scheduler)
        for dp_rank, gauges in engine.gauges(now, stale_after).items():
            ranked = labels.within(dp_rank=dp_rank)
            for (metric, pool), value in gauges.items():
                page.add(f"{_PREFIX}{metric}", ranked, value, pool=pool)


def _export_engine(page: Page, labels: Labels, engine: Engine, now: float, stale_after: float | None) -> None:
    _export_run(page, labels, engine)
    for (method, handler, code), count in engine.http.items():
        page.add(f"{_PREFIX}http_requests_total", labels, count, method=method, handler=handler, code=code)
    for kind in _ERRORS:
        page.add(f"{_PREFIX}errors_total", labels, engine.errors.get(kind, 0.0), kind=kind)
    if engine.finished.known:
        total = engine.finished.total
        page.add(f"{_PREFIX}requests_finished_total", labels, total.requests)
        page.add(f"{_PREFIX}request_output_tokens_total", labels, total.output_tokens)
        page.add(f"{_PREFIX}request_input_tokens_total", labels, total.input_tokens)
    _export_phase(page, labels, engine, now, stale_after)


def _export_run(page: Page, labels: Labels, engine: Engine) -> None:
    page.add(f"{_PREFIX}starts_total", labels, engine.starts)
    for metric, value in (
        ("start_timestamp_seconds", engine.started),
        ("ready_timestamp_seconds", engine.ready),
        ("last_line_timestamp_seconds", engine.last_line),
    ):
        if value is not None:
            page.add(f"{_PREFIX}{metric}", labels, value)
    if engine.ending.at is not None:
        page.add(f"{_PREFIX}end_timestamp_seconds", labels, engine.ending.at, cause=engine.ending.cause)
    if engine.starts:
        page.add(f"{_PREFIX}info", Labels({**labels.given, **_info(engine.arguments)}), 1)


def _info(arguments: Mapping[str, str]) -> dict[str, str]:
    """Return the arguments that are labels, and the model under its served name, else the last part of its path."""
    model = arguments.get("served_model_name") or arguments.get("model_path", "").rstrip("/")
    return {
        "model": model.rpartition("/")[2] or model,
        **{name: value for name, value in arguments.items() if name in _INFO_LABELS},
    }


def _export_phase(page: Page, labels: Labels, engine: Engine, now: float, stale_after: float | None) -> None:
    present = engine.phase(now, stale_after)
    if present is None:
        return
    for phase in _PHASES:
        page.add(f"{_PREFIX}phase", labels, phase == present, phase=phase)
    printing = [s for s in engine.schedulers.values() if s.run.newest]
    silent = sum(engine.down or s.silent(now, stale_after) for s in printing)
    page.add(f"{_PREFIX}schedulers", labels, len(printing) - silent, state="live")
    page.add(f"{_PREFIX}schedulers", labels, silent, state="silent")


def _export_scheduler(page: Page, labels: Labels, scheduler: Scheduler) -> None:
    for metric, value in scheduler.run.limits.items():
        page.add(f"{_PREFIX}{metric}", labels, value)
    if scheduler.last_batch is not None:
        page.add(f"{_PREFIX}last_batch_timestamp_seconds", labels, scheduler.last_batch)
    for metric, value in scheduler.counters.items():
        page.add(f"{_PREFIX}{metric}", labels, value)
