"""A server's state made of lines, for tests that start from what a log says."""

from collections.abc import Mapping

from sglang_exporter.metrics.labels import Labels
from sglang_exporter.metrics.page import Page
from sglang_exporter.metrics.server import export_server
from sglang_exporter.serverlog.decoder import LogDecoder
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.stamps import Zone, printed_seconds
from sglang_exporter.state.moment import Moment
from sglang_exporter.state.server import ServerState

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]
FAR_FUTURE = 1e12


class LoggedServer:
    """A server that is told line by line; every stamp is UTC and taken for the time of arrival."""

    def __init__(self, unrecognised: dict[str, int] | None = None) -> None:
        self.state = ServerState()
        self.now = 0.0
        self._decoder = LogDecoder({}, {} if unrecognised is None else unrecognised)
        self._zone = Zone("UTC")
        self._labels = Labels({"server": "s"})

    def read(self, *lines: str) -> "LoggedServer":
        for line in lines:
            for event in self._decoder.decode(line.encode()):
                if event.time:
                    self.now = max(self.now, self._zone.epoch(event.time, FAR_FUTURE))
                printed = printed_seconds(event.time) if event.time else None
                self.state.fold(event, Moment(self.now, printed))
        return self

    def event(self, line: str) -> Event:
        """Return what a line says, without folding it."""
        return next(iter(self._decoder.decode(line.encode())))

    def moment(self, time: str) -> Moment:
        """Return now, with a printed time."""
        return Moment(self.now, printed_seconds(f"2026-11-29T{time}"))

    def page(self, later: float = 0.0, stale_after: float | None = None) -> Samples:
        """Return the samples `later` seconds after the last line, by name and labels, `server` left out."""
        page = Page()
        export_server(page, self._labels, self.state, self.now + later, stale_after)
        return samples(page)

    def value(self, name: str, later: float = 0.0, **labels: str) -> float | None:
        """Return one sample of `sglang_server_NAME`, None when it is not on the page."""
        return self.labelled(name, labels, later)

    def labelled(self, name: str, labels: Mapping[str, str], later: float = 0.0) -> float | None:
        """Return one sample of `sglang_server_NAME` with just these labels."""
        return self.page(later).get((f"sglang_server_{name}", tuple(sorted(labels.items()))))

    def phase(self, later: float = 0.0) -> str | None:
        """Return the phase that is 1."""
        return next(
            (dict(labels)["phase"] for (name, labels), value in self.page(later).items() if "_phase" in name and value),
            None,
        )


def samples(page: Page) -> Samples:
    """Return the samples of a page by name and labels other than `server`."""
    return {
        (sample.name, tuple(sorted((k, v) for k, v in sample.labels.items() if k != "server"))): sample.value
        for family in page.families()
        for sample in family.samples
    }


def decode(
    time: str, running: int = 4, queue: int = 0, speed: float = 100.0, ranks: str = "", usage: float = 0.5
) -> str:
    """Return a Decode line of SGLang 0.5.23; `time` is HH:MM:SS, `ranks` as in ` DP0 TP1`."""
    return (
        f"[2026-11-29 {time}{ranks}] Decode batch, #running-req: {running}, #token: {int(usage * 1000)}, "
        f"token usage: {usage:.2f}, cuda graph: True, gen throughput (token/s): {speed:.2f}, #queue-req: {queue}"
    )


def prefill(time: str, running: int = 0, queue: int = 0, ranks: str = "", new: int = 50, cached: int = 10) -> str:
    """Return a Prefill line of SGLang 0.5.23."""
    return (
        f"[2026-11-29 {time}{ranks}] Prefill batch, #new-seq: 1, #new-token: {new}, #cached-token: {cached}, "
        f"token usage: 0.10, #running-req: {running}, #queue-req: {queue}, #pending-token: 0, cuda graph: False, "
        "input throughput (token/s): 9.24"
    )


def start(time: str, **arguments: object) -> str:
    """Return a `server_args=` line in the dict spelling."""
    said = {"model_path": "/models/tiny/", "tp_size": 1, "kv_cache_dtype": "auto", **arguments}
    return f"[2026-11-29 {time}] server_args={said!r}"


def access(time: str, path: str = "/v1/completions", method: str = "POST", status: int = 200) -> str:
    """Return an access line of uvicorn's."""
    return f'[2026-11-29 {time}] INFO:     127.0.0.1:5 - "{method} {path} HTTP/1.1" {status} OK'
