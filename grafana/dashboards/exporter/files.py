"""Whether it reads every line: how much, how late, and through which changes of files."""

from parts.looks import shades
from parts.panels import THIRD, Head, Panel, graph
from parts.queries import Query, of_source, per_minute, rate


def panels() -> list[Panel]:
    """Return the panels from left to right."""
    return [_read(), _behind(), _changes()]


def _read() -> Panel:
    head = Head(
        201,
        "How much does it read?",
        "Bytes per second by source. Good: what the server writes. A tall start is the history found at start. Bad:"
        " none while the server works, then the wrong file is followed. From the log and output files: their bytes.",
        "nothing is followed",
    )
    read = f"sum by (instance, source) ({rate(of_source('sglang_exporter_bytes_total'))})"
    return graph(head, "Bps", [Query(read, "{{instance}} {{source}}")], THIRD)


def _behind() -> Panel:
    head = Head(
        202,
        "How far is it behind?",
        "Bytes in the files that are not read yet. Good: near 0. Bad: it climbs, see what it costs."
        " From the log and output files: their sizes against what was read.",
        "nothing is followed",
    )
    lag = f"sum by (instance, source) ({of_source('sglang_exporter_lag_bytes')})"
    return graph(head, "bytes", [Query(lag, "{{instance}} {{source}}")], THIRD)


def _changes() -> Panel:
    head = Head(
        203,
        "How are the files changed?",
        "Files rotated, files cut in place, and bytes destroyed unread, per minute. Good: rotations alone. Bad: lost"
        " bytes, which copytruncate cannot rule out. From the log and output files: names, inodes, sizes.",
        "nothing is followed",
    )
    queries = [Query(_per_minute("rotations_total"), "{{instance}} {{source}} rotated")]
    queries += [Query(f"{_per_minute('truncations_total')} > 0", "{{instance}} {{source}} cut")]
    queries += [Query(f"{_per_minute('lost_bytes_total')} > 0", "{{instance}} {{source}} bytes lost")]
    panel = graph(head, "suffix:/min", queries, THIRD)
    panel.override_by_query("A", shades("blue")).override_by_query("B", shades("orange"))
    return panel.override_by_query("C", shades("red"))


def _per_minute(counter: str) -> str:
    return f"sum by (instance, source) ({per_minute(of_source(f'sglang_exporter_{counter}'))})"
