"""Servers: what each is doing, its last hour, and what is known of it."""

from typing import NamedTuple

from sglang_exporter.metrics.figures import HOST_POOL
from sglang_exporter.metrics.recent import Hour
from sglang_exporter.overview.charts import Chart, data, figure
from sglang_exporter.overview.html import Markup, tag, together
from sglang_exporter.overview.parts import (
    Fact,
    Mood,
    View,
    backlog,
    badge,
    counted,
    facts,
    kinds,
    part,
    place,
    table,
    when,
)
from sglang_exporter.overview.samples import Reading, Said
from sglang_exporter.overview.words import amount, percent

_PHASES: dict[str, tuple[str, Mood, str]] = {
    "down": ("down", "bad", "It has ended."),
    "stalled": ("stalled", "bad", "Requests wait, and nothing moves."),
    "starting": ("starting", "busy", "It is loading and does not answer yet."),
    "warmup": ("warm-up", "busy", "It works through its first burst; speeds are not those that will last."),
    "drain": ("drain", "busy", "The queue is empty: requests leave and none takes their place."),
    "steady": ("steady", "good", "It works at the pace that lasts."),
    "idle": ("idle", "calm", "It has no work, so it prints no values."),
}
"""Phases by what `sglang_server_phase` calls them, the worst first: their name, how good that is, what it means."""
ORDER = [word for word, _, _ in _PHASES.values()]


class Server(NamedTuple):
    """A server of the page: its samples, its source's, and its last hour."""

    name: str
    said: Said
    source: Said
    hour: Hour

    @property
    def backlog(self) -> Reading | None:
        """Bytes that are to be read before anything is shown; None when that is done."""
        caught_up = self.source.total("sglang_exporter_source_caught_up")
        return self.source.total("sglang_exporter_lag_bytes") if caught_up and not caught_up.value else None

    @property
    def phases(self) -> list[str]:
        """The phases that its engines are in."""
        return [phase for phase, number in self.said.by("sglang_server_phase", "phase").items() if number]

    @property
    def speed(self) -> Reading | None:
        """Tokens per second as printed."""
        return self.said.total("sglang_server_gen_throughput_tokens_per_second")

    @property
    def running(self) -> Reading | None:
        """Requests that run."""
        return self.said.total("sglang_server_running_requests")

    @property
    def queued(self) -> Reading | None:
        """Requests that wait."""
        return self.said.total("sglang_server_queued_requests")

    @property
    def usage(self) -> Reading | None:
        """How full the fullest pool on the device is."""
        return self.said.highest_but("sglang_server_token_usage_ratio", pool=HOST_POOL)


def words(server: Server) -> list[str]:
    """Return what a server is doing, in a word for each engine that does something else."""
    if server.backlog:
        return ["catching up"]
    return [_PHASES[phase][0] for phase in server.phases if phase in _PHASES] or ["nothing said yet"]


def state(server: Server) -> Markup:
    """Return these words as badges."""
    moods = {word: mood for word, mood, _ in _PHASES.values()} | {"catching up": "busy"}
    return together(*(badge(word, moods.get(word, "calm")) for word in words(server)))


def rows(servers: list[Server]) -> Markup:
    """Return a table with a row for each server."""
    return table(
        "Servers now",
        ("Server", "tok/s", "KV cache", "Running", "Queued"),
        (
            (
                together(tag("a", one.name, href=f"#{place('server', one.name)}"), " ", state(one)),
                data(one.speed, amount),
                data(one.usage, percent),
                data(one.running, amount),
                data(one.queued, amount),
            )
            for one in servers
        ),
    )


def section(server: Server, view: View) -> Markup:
    """Return all that is known of a server."""
    head = tag("h3", server.name, " ", state(server))
    identifier = place("server", server.name)
    if server.backlog:
        return part(identifier, head, backlog(server.backlog, "its log"), folded=view.folded)
    charts = _charts(server)
    if any(chart.now or chart.hour for chart in charts):
        drawn = tag("div", *(figure(chart, view.back) for chart in charts), class_="charts")
    else:
        drawn = tag("p", "It has printed no values in the last hour.")
    return part(identifier, head, _meaning(server), drawn, facts(_facts(server, view.now)), folded=view.folded)


def _meaning(server: Server) -> Markup:
    up = server.source.total("sglang_exporter_source_up")
    meant = [_PHASES[phase][2] for phase in server.phases if phase in _PHASES]
    if up and not up.value:
        meant.insert(0, "Its log cannot be read, see Sources below.")
    return tag("p", " ".join(meant) or "Its log has no line of SGLang's yet.", class_="meaning")


def _charts(server: Server) -> list[Chart]:
    hour = server.hour
    line = server.said.highest("sglang_exporter_alert_threshold", alert="kv_cache_saturated")
    return [
        Chart("Throughput", "tok/s", server.speed, hour.get("speed"), amount),
        Chart("KV cache", "", server.usage, hour.get("usage"), percent, 1.0, line.value if line else None),
        Chart("Running requests", "", server.running, hour.get("running"), amount),
        Chart("Queued requests", "", server.queued, hour.get("queued"), amount),
    ]


def _facts(server: Server, now: float) -> list[Fact]:
    said, hour = server.said, server.hour
    models = [model for model in said.by("sglang_server_info", "model") if model]
    return [
        ("Model", ", ".join(models)),
        ("Ready", when(said.highest("sglang_server_ready_timestamp_seconds"), now)),
        ("Started", when(said.highest("sglang_server_start_timestamp_seconds"), now)),
        ("Ended", _ended(said, now)),
        ("Last batch line", when(said.highest("sglang_server_last_batch_timestamp_seconds"), now)),
        ("Schedulers", _schedulers(said)),
        ("KV cache holds", _amount(said.total("sglang_server_capacity_tokens"), "tokens")),
        ("Run at most", _amount(said.total("sglang_server_max_running_requests"), "requests")),
        ("Retractions", counted(said.total("sglang_server_retractions_total"), hour, "retractions")),
        ("Incidents", _incidents(said, hour)),
        ("Starts", counted(said.total("sglang_server_starts_total"), hour, "starts")),
    ]


def _amount(reading: Reading | None, unit: str) -> Markup | None:
    return together(data(reading, amount), f" {unit}") if reading else None


def _ended(said: Said, now: float) -> Markup | None:
    ended = when(said.highest("sglang_server_end_timestamp_seconds"), now)
    causes = ", ".join(said.by("sglang_server_end_timestamp_seconds", "cause"))
    return together(ended, f", {causes}") if ended else None


def _schedulers(said: Said) -> Markup | None:
    live, silent = (said.total("sglang_server_schedulers", state=state) for state in ("live", "silent"))
    if live is None or silent is None:
        return None
    return together(data(live, amount), " live", *((", ", data(silent, amount), " silent") if silent.value else ()))


def _incidents(said: Said, hour: Hour) -> Markup | None:
    total = counted(said.total("sglang_server_errors_total"), hour, "incidents")
    return total and together(total, kinds(said.by("sglang_server_errors_total", "kind")))
