"""`sglang-exporter backfill`: what scrapes of a run would have found, with their times, as OpenMetrics."""

import sys
from collections.abc import Iterator, Mapping
from contextlib import closing

from prometheus_client.metrics_core import Metric

from sglang_exporter.backfill.pacing import Pacing
from sglang_exporter.backfill.playing import Playing
from sglang_exporter.backfill.spool import Spool
from sglang_exporter.build import Exporter, build
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config
from sglang_exporter.once import Nobody

# What an exporter says of its own process: there was none.
_OF_A_PROCESS = ("sglang_exporter_watch_backend", "sglang_exporter_collector_", "sglang_exporter_config_last_reload_")


def backfill(config: Config, step: float, labels: Mapping[str, str]) -> int:
    """Print a sample of every series for each multiple of `step` seconds, and return the exit status: 1 without any.

    `labels` are those that a scrape would have added.
    """
    try:
        with closing(Spool(labels)) as spool:
            _fill(spool, config, step)
            if spool.samples:
                sys.stdout.buffer.writelines(spool.text())
                sys.stdout.flush()
            return 0 if spool.samples else 1
    except BrokenPipeError:
        raise
    except OSError as error:  # a full disk; what files can't be read is said by their streams
        _say(str(error))
        return 1


def _fill(spool: Spool, config: Config, step: float) -> None:
    clock = FixedClock()
    exporter = build(config, clock, Nobody())
    exporter.pipeline.discover()
    pacing = Pacing(config, clock, _say)
    pacing.pace(exporter.pipeline)
    at = None
    for at in Playing(exporter.pipeline, clock).steps(step):
        spool.add(_scraped(exporter), at)
    pacing.tell_doubts()
    for source in exporter.pipeline.sources:
        if source.stream.error:
            _say(source.stream.error)
    if at is None:
        _say("no file has a line in it")


def _scraped(exporter: Exporter) -> Iterator[Metric]:
    for family in exporter.registry.collect():
        if not family.name.startswith(_OF_A_PROCESS):
            yield family


def _say(text: str) -> None:
    print(f"sglang-exporter: {text}", file=sys.stderr, flush=True)  # noqa: T201 -- a message to the user
