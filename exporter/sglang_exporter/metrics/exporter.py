"""What the exporter says about itself, to samples."""

import platform

from msgspec.structs import asdict

from sglang_exporter import __version__
from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.state.source import SourceState
from sglang_exporter.state.store import FollowedServer

_PREFIX = "sglang_exporter_"


def export_exporter(page: Page, backend: str, checkpoint_age: float | None, *, config_good: bool) -> None:
    """Add what holds for the exporter as a whole; `backend` is how changes of files are noticed."""
    labels = Labels({})
    page.add(f"{_PREFIX}build_info", labels, 1, version=__version__, pythonversion=platform.python_version())
    page.add(f"{_PREFIX}config_last_reload_successful", labels, config_good)
    for known in ("inotify", "polling"):
        page.add(f"{_PREFIX}watch_backend", labels, known == backend, backend=known)
    if checkpoint_age is not None:
        page.add(f"{_PREFIX}checkpoint_age_seconds", labels, checkpoint_age)


def export_source(page: Page, labels: Labels, source: SourceState) -> None:
    """Add the samples of one source; what it counts, once its backlog is folded."""
    for metric, value in (
        ("source_up", source.up),
        ("source_caught_up", source.caught_up),
        ("source_files", source.files),
        ("lag_bytes", source.behind),
    ):
        page.add(f"{_PREFIX}{metric}", labels, value)
    if source.caught_up:
        _export_counts(page, labels, source)


def _export_counts(page: Page, labels: Labels, source: SourceState) -> None:
    for metric, value in (
        ("bytes_total", source.read),
        ("rotations_total", source.rotations),
        ("truncations_total", source.truncations),
        ("lost_bytes_total", source.lost),
    ):
        page.add(f"{_PREFIX}{metric}", labels, value)
    for kind, count in source.kinds.items():
        page.add(f"{_PREFIX}lines_total", labels, count, kind=kind)
    for reason, count in source.unrecognised.items():
        page.add(f"{_PREFIX}unrecognised_lines_total", labels, count, reason=reason)


def export_thresholds(page: Page, labels: Labels, server: FollowedServer) -> None:
    """Add where the shipped alert rules raise an alert for a server."""
    for alert, threshold in asdict(server.thresholds).items():
        page.add(f"{_PREFIX}alert_threshold", labels, threshold, alert=alert, profile=server.profile)
