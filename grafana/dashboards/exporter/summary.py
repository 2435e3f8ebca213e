"""The top of the page: is all well."""

from grafana_foundation_sdk.models.dashboard import DynamicConfigValue, ValueMap, ValueMappingResult

from parts.looks import absent, coloured, states, unit, wide
from parts.panels import NEUTRAL, Head, Panel, Size, rows, steps, tile
from parts.queries import Query, of_exporter, of_source, up

_YES_NO = ValueMap(
    options={
        "1": ValueMappingResult(text="yes", color="green", index=0),
        "0": ValueMappingResult(text="no", color="red", index=1),
    }
)


def panels() -> list[Panel]:
    """Return the tiles from left to right, and the table of sources."""
    return [_up(), _sources(), _behind(), _lost(), _collectors(), _config(), _checkpoint(), _each()]


def _up() -> Panel:
    head = Head(
        101,
        "Exporters",
        "Exporters that Prometheus reaches, and those that it does not. Good: none down. Of the servers of one that"
        " is down nothing is known. From Prometheus: up.",
        "none is scraped",
    )
    queries = [Query(f"sum({up()})", "up"), Query(f"count({up()}) - sum({up()})", "down")]
    panel = tile(head, "short", queries, 4)
    return panel.override_by_query("B", _red_from(1))


def _sources() -> Panel:
    head = Head(
        102,
        "Sources",
        "Logs and output files that are there and can be read, and those that are not. Good: none missing. From the log"
        " files and output files themselves: whether they open.",
        "nothing is followed",
    )
    there = of_source("sglang_exporter_source_up")
    queries = [Query(f"sum({there})", "read"), Query(f"count({there}) - sum({there})", "missing")]
    return tile(head, "short", queries, 4).override_by_query("B", _red_from(1))


def _behind() -> Panel:
    head = Head(
        103,
        "Behind",
        "Bytes that are in the files and not read yet. Good: near 0. Bad: it grows, the exporter cannot keep up or"
        " cannot read. From the log and output files: their sizes against what was read.",
        "nothing is followed",
    )
    lag = Query(f"sum({of_source('sglang_exporter_lag_bytes')})")
    return tile(head, "bytes", [lag], 3).thresholds(steps(NEUTRAL, (1e6, "orange"), (1e8, "red")))


def _lost() -> Panel:
    head = Head(
        104,
        "Lost",
        "Bytes that were destroyed in the time shown before anybody could read them. Good: 0. Bad: anything; let"
        " logrotate create new files instead of copytruncate. From the log and output files: what was cut off unread.",
        "nothing is followed",
    )
    lost = Query(f"sum(increase({of_source('sglang_exporter_lost_bytes_total')}[$__range]))")
    return tile(head, "bytes", [lost], 3).thresholds(steps("green", (1, "red")))


def _collectors() -> Panel:
    head = Head(
        105,
        "Page complete",
        "Whether each part of the page of metrics could be made. Good: yes. Bad: no, which is an error in the exporter;"
        " its own log says what happened. From the exporter: sglang_exporter_collector_success.",
        "no exporter is up",
    )
    whole = Query(f"min({of_exporter('sglang_exporter_collector_success')})")
    return tile(head, "short", [whole], 3).mappings([_YES_NO])


def _config() -> Panel:
    head = Head(
        106,
        "Config in force",
        "Whether the configuration on disk is the one in force. Good: yes. Bad: no, the file has a mistake, and the"
        " last good one goes on; its own log names the line. From the exporter: what --config.file said when it last"
        " changed.",
        "no exporter is up",
    )
    whole = Query(f"min({of_exporter('sglang_exporter_config_last_reload_successful')})")
    return tile(head, "short", [whole], 3).mappings([_YES_NO])


def _checkpoint() -> Panel:
    head = Head(
        107,
        "Checkpoint age",
        "Time since the oldest checkpoint was as new as the state. Good: seconds. Bad: minutes, the folder cannot be"
        " written, and a restart would count again. From the exporter: when it last wrote --checkpoint.",
        "no checkpoint is kept",
    )
    age = Query(f"max({of_exporter('sglang_exporter_checkpoint_age_seconds')})")
    return tile(head, "s", [age], 4).thresholds(steps(NEUTRAL, (120, "orange"), (600, "red")))


def _each() -> Panel:
    head = Head(
        108,
        "How is each source?",
        "A row per log or set of output files. Good: up, caught up, nothing behind, nothing lost. Caught up is no while"
        " the history found at start is read: until then its numbers are not shown. From the log and output files.",
        "nothing is followed",
    )
    columns = {
        "Up": Query(_each_source("source_up")),
        "Caught up": Query(_each_source("source_caught_up")),
        "Files": Query(_each_source("source_files")),
        "Behind": Query(_each_source("lag_bytes")),
        "Read": Query(_in_all("bytes_total")),
        "Lost": Query(_in_all("lost_bytes_total")),
        "Rotated": Query(_in_all("rotations_total")),
        "Truncated": Query(_in_all("truncations_total")),
        "Not understood": Query(_in_all("unrecognised_lines_total")),
    }
    panel = rows(head, columns, {"source": "Source"}, Size(24, 7), {"instance": "Instance"})
    panel.override_by_name("Source", wide(220)).override_by_name("Files", wide(70))
    panel.override_by_name("Up", states(_YES_NO)).override_by_name("Caught up", states(_YES_NO))
    panel.override_by_name("Behind", unit("bytes")).override_by_name("Read", unit("bytes"))
    panel.override_by_name("Lost", [*unit("bytes"), *coloured("text", (1, "red"))])
    panel.override_by_name("Rotated", [*unit("short"), *wide(90)])
    panel.override_by_name("Truncated", [*unit("short"), *wide(100)])
    return panel.override_by_name("Not understood", [*unit("short"), *coloured("text", (10, "orange")), *absent("0")])


def _each_source(metric: str) -> str:
    return f"max by (instance, source) ({of_source(f'sglang_exporter_{metric}')})"


def _in_all(counter: str) -> str:
    return f"sum by (instance, source) (increase({of_source(f'sglang_exporter_{counter}')}[$__range]))"


def _red_from(value: float) -> list[DynamicConfigValue]:
    bounds = [{"color": NEUTRAL, "value": None}, {"color": "red", "value": value}]
    return [DynamicConfigValue("thresholds", {"mode": "absolute", "steps": bounds})]
