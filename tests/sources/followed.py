"""Output files that are written, the exporter that follows them under a clock held by hand, and what it tells."""

import json
import time
from pathlib import Path

from prometheus_client.exposition import generate_latest

from sglang_exporter.build import build
from sglang_exporter.checkpoint_file import CheckpointFile
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig
from sglang_exporter.once import Nobody
from sglang_exporter.sources.saved import VERSION
from sglang_exporter.state.job import JobState
from support.exporter import Samples, parse, pick

Fields = list[int | None]


class Followed:
    """An exporter of one data set. `poll` lets it look three times within ten seconds; `idle` waits longer than ten."""

    def __init__(self, files: str, job: JobConfig | None = None, state: Path | None = None) -> None:
        self.clock = FixedClock(time.time())
        self.file = CheckpointFile(state, VERSION) if state else None
        if self.file:
            self.file.lock()
        config = Config(jobs=[job or JobConfig(files=files, name="job")])
        self.exporter = build(config, self.clock, Nobody(), self.file)

    def poll(self, *, idle: bool = False) -> Samples:
        for seconds in (5.5, 2.0, 2.0, *(12.0,) * idle):
            self.wait(seconds)
        return self.page()

    def wait(self, seconds: float) -> None:
        self.clock.time += seconds
        self.exporter.pipeline.step()
        while self.exporter.pipeline.step():
            pass

    def page(self) -> Samples:
        return parse(generate_latest(self.exporter.registry).decode())

    def die(self) -> None:
        """Be gone without a word."""
        if self.file:
            self.file.close()

    @property
    def state(self) -> JobState:
        (job,) = self.exporter.shared.store.jobs.values()
        return job.state


def line(fields: Fields) -> str:
    """Return a record with an id and so many tokens, or one that failed."""
    identity, tokens = fields
    if tokens is None:
        return json.dumps({"id": identity, "error": "timeout", "response": None})
    return json.dumps({"id": identity, "response": "x", "completion_tokens": tokens})


def job(page: Samples, name: str) -> float:
    """Return a sample of the only data set, all its reasons summed."""
    return sum(value for (known, _), value in page.items() if known == f"sglang_job_{name}")


def files(page: Samples) -> float | None:
    return pick(page, "sglang_exporter_source_files")
