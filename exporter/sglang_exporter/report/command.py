"""`sglang-exporter report`: the files read once, and what follows from them."""

import sys
import time
from typing import Literal, NamedTuple

import msgspec
from rich.console import Console

from sglang_exporter.build import Exporter, build
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig
from sglang_exporter.once import Nobody
from sglang_exporter.report.analysis import analyse
from sglang_exporter.report.findings import Report
from sglang_exporter.report.history import EngineHistory, Span
from sglang_exporter.report.markdown import markdown
from sglang_exporter.report.progress import read_all
from sglang_exporter.report.telling import tell
from sglang_exporter.report.text import WIDEST, print_text
from sglang_exporter.report.watched import WatchedJob, WatchedServer
from sglang_exporter.state.windows import Window

Form = Literal["text", "markdown", "json"]


class Choice(NamedTuple):
    """What of the files is to be reported: a span of time, and one epoch or all."""

    span: Span
    epoch: int | None = None


def report(config: Config, choice: Choice, form: Form) -> int:
    """Print the report and return the exit status: 1 when no server's log could be read."""
    found = read(config, choice)
    if form == "json":
        sys.stdout.write(as_json(found))
    elif form == "markdown":
        sys.stdout.write(markdown(tell(found)))
    else:
        console = Console()
        print_text(tell(found), console if console.is_terminal else Console(width=WIDEST))
    return 0 if found.engines or found.jobs else 1


def as_json(found: Report) -> str:
    """Return the findings by the schema of `findings.py`."""
    return msgspec.json.format(msgspec.json.encode(found)).decode() + "\n"


def read(config: Config, choice: Choice) -> Report:
    """Return the findings of all files, read to their ends."""
    clock = FixedClock()
    exporter = build(config, clock, Nobody())
    exporter.shared.new_server = lambda: WatchedServer().watch(choice.span)
    exporter.shared.new_job = lambda job, windows: _job(job, windows, choice.span)
    read_all(exporter)
    clock.time = min(exporter.pipeline.newest or time.time(), choice.span.until)
    return _analysed(exporter, clock.time, choice.epoch)


def _job(config: JobConfig, windows: dict[str, Window], span: Span) -> WatchedJob:
    return WatchedJob(config, windows).watch(span)


def _analysed(exporter: Exporter, now: float, epoch: int | None) -> Report:
    histories: dict[tuple[str, str], EngineHistory] = {}
    for name, server in exporter.shared.store.servers.items():
        if isinstance(server.state, WatchedServer):
            server.state.finish(now)
            histories |= {(name, engine): history for engine, history in server.state.histories.items()}
    jobs = exporter.shared.store.jobs
    return analyse(histories, {n: job.state for n, job in jobs.items() if isinstance(job.state, WatchedJob)}, epoch)
