"""An exporter in this process, beside files that grow by a clock in hand."""

from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from prometheus_client.exposition import generate_latest

from sglang_exporter.build import build
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config
from sglang_exporter.once import Nobody
from sglang_exporter.recording import Recording
from support.exporter import Samples, parse


def scrapes(recording: Recording, into: Path, config: Config, step: int) -> Iterator[tuple[int, Samples]]:
    """Yield what a scrape at each multiple of `step` seconds finds while a recording is written at its own times."""
    for name in recording.names:
        (into / name).touch()
    clock = FixedClock(recording.began)
    exporter = build(config, clock, Nobody())
    exporter.pipeline.step()
    at = -(-recording.began // step) * step
    for after, lines in groupby(recording.schedule(recording.began, timedelta()), attrgetter("after")):
        now = recording.began + after
        while at < now:
            clock.time = at
            yield at, parse(generate_latest(exporter.registry).decode())
            at += step
        clock.time = now
        for line in lines:
            with (into / line.name).open("ab") as file:
                file.write(line.line)
        while exporter.pipeline.step():
            pass
    exporter.pipeline.finish()  # a last line without a line feed, as nobody writes any more
    exporter.pipeline.refresh()
    clock.time = at
    yield at, parse(generate_latest(exporter.registry).decode())
