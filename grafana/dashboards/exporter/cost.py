"""What the exporter costs: processor, memory, time of a scrape, size of its page."""

from parts.looks import dashed, shades
from parts.panels import THIRD, Head, Panel, graph
from parts.queries import Query, of_exporter, rate

_OURS = f"and on (job, instance) {of_exporter('sglang_exporter_build_info')}"
"""Other programs of the job have such metrics too."""


def panels() -> list[Panel]:
    """Return the panels from left to right, top to bottom."""
    return [_processor(), _memory(), _descriptors(), _scrape(), _collectors(), _page()]


def _processor() -> Panel:
    head = Head(
        401,
        "How much processor does it use?",
        "Share of one core. Good: a few per cent, and a peak at start while it reads the history. Bad: 100 % for"
        " long, it falls behind. From the exporter: its process.",
        "no exporter is up",
    )
    used = f"{rate(of_exporter('process_cpu_seconds_total'))} {_OURS}"
    return graph(head, "percentunit", [Query(used, "{{instance}}")], THIRD).decimals(1)


def _memory() -> Panel:
    head = Head(
        402,
        "How much memory does it use?",
        "Memory that the process holds. Good: level, some tens of megabytes. Bad: it climbs for days. From the"
        " exporter: its process.",
        "no exporter is up",
    )
    used = f"{of_exporter('process_resident_memory_bytes')} {_OURS}"
    return graph(head, "bytes", [Query(used, "{{instance}}")], THIRD)


def _descriptors() -> Panel:
    head = Head(
        403,
        "How many files does it hold open?",
        "Open file descriptors, and as many as it may have (dashed). Good: a little over the files that it follows."
        " Bad: close to the dashed line: raise the limit (ulimit -n). From the exporter: its process.",
        "no exporter is up",
    )
    most = f"{of_exporter('process_max_fds')} {_OURS}"
    queries = [
        Query(f"{of_exporter('process_open_fds')} {_OURS}", "{{instance}} open"),
        Query(f"{most} <= 20 * {of_exporter('process_open_fds')}", "{{instance}} limit"),
    ]
    panel = graph(head, "short", queries, THIRD)
    return panel.override_by_query("A", shades("blue")).override_by_query("B", [*shades("red"), *dashed()])


def _scrape() -> Panel:
    head = Head(
        404,
        "How long does a scrape take?",
        "Time from Prometheus's question to the last byte of the answer. Good: well below a second. Bad: near the"
        " scrape timeout, then samples are missing. From Prometheus: scrape_duration_seconds.",
        "no exporter is scraped",
    )
    took = f"{of_exporter('scrape_duration_seconds')} {_OURS}"
    return graph(head, "s", [Query(took, "{{instance}}")], THIRD)


def _collectors() -> Panel:
    head = Head(
        405,
        "Which part of its page takes the time?",
        "Time that each part of the page took. Good: milliseconds. Bad: one of them climbs, with many servers or data"
        " sets. From the exporter: its own clock.",
        "no exporter is up",
    )
    took = f"max by (instance, collector) ({of_exporter('sglang_exporter_collector_duration_seconds')})"
    return graph(head, "s", [Query(took, "{{instance}} {{collector}}")], THIRD)


def _page() -> Panel:
    head = Head(
        406,
        "How many series are there?",
        "Samples on the exporter's page. Good: about a hundred for each server and data set, level. Bad: it climbs"
        " without a new server: some label takes ever new values. From Prometheus: scrape_samples_scraped.",
        "no exporter is scraped",
    )
    samples = f"{of_exporter('scrape_samples_scraped')} {_OURS}"
    return graph(head, "short", [Query(samples, "{{instance}}")], THIRD)
