"""The metrics of `sglang_exporter_*`: what the exporter says about itself."""

from sglang_exporter.metrics.row import Row, Type

_SOURCE = ("source",)


def _row(name: str, kind: Type, text: str, labels: tuple[str, ...] = ()) -> Row:
    return Row(f"sglang_exporter_{name}", kind, text, labels, "the exporter itself")


EXPORTER: tuple[Row, ...] = (
    _row("build_info", "gauge", "1, with the version of the exporter and of its Python.", ("version", "pythonversion")),
    _row("source_up", "gauge", "1 when the source's files are there and can be read, else 0.", _SOURCE),
    _row(
        "source_caught_up",
        "gauge",
        "1 when what was found at start has been read; before that no series of the source is shown.",
        _SOURCE,
    ),
    _row(
        "source_files",
        "gauge",
        "Files of the source that are there: those that are followed, and the rotated ones before them.",
        _SOURCE,
    ),
    _row(
        "alert_threshold",
        "gauge",
        "Threshold that the shipped alert rules use for the server, from the configuration.",
        ("server", "alert", "profile"),
    ),
    _row("lines_total", "counter", "Lines read by what they are.", ("source", "kind")),
    _row(
        "unrecognised_lines_total",
        "counter",
        "Lines that look like a status line and yield nothing or only a part: format drift, or damage.",
        ("source", "reason"),
    ),
    _row("bytes_total", "counter", "Bytes read.", _SOURCE),
    _row("lag_bytes", "gauge", "Bytes that are in the files and not read yet.", _SOURCE),
    _row("rotations_total", "counter", "Times that a followed file was replaced by a new one.", _SOURCE),
    _row("truncations_total", "counter", "Times that a followed file was cut or written anew in place.", _SOURCE),
    _row("lost_bytes_total", "counter", "Bytes that were destroyed before they could be read.", _SOURCE),
    _row(
        "watch_backend",
        "gauge",
        "1 for how changes of files are noticed: inotify, or polling alone.",
        ("backend",),
    ),
    _row("collector_success", "gauge", "1 when the collector's metrics are all on this page, else 0.", ("collector",)),
    _row("collector_duration_seconds", "gauge", "Time the collector took for this page.", ("collector",)),
    _row(
        "checkpoint_age_seconds",
        "gauge",
        "Time since the checkpoint was as new as the state, in seconds. Absent with --checkpoint none.",
    ),
    _row("config_last_reload_successful", "gauge", "1 when the configuration in force is the one on disk, else 0."),
)
