"""A past that was scraped: exporters live through recordings under a clock of ours, and Prometheus gets their pages."""

import json
import os
import subprocess
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from heapq import merge
from operator import attrgetter
from pathlib import Path
from urllib.request import Request, urlopen

import yaml
from prometheus_client import ProcessCollector
from prometheus_client.samples import Sample as Exposed

from sglang_exporter.build import build
from sglang_exporter.checkpoint_file import CheckpointFile
from sglang_exporter.clock import FixedClock
from sglang_exporter.config import Config, JobConfig, ServerConfig
from sglang_exporter.once import Nobody
from sglang_exporter.recording import Delivery
from sglang_exporter.sources.saved import VERSION
from support.prometheus import PrometheusServer, binary
from support.remote_write import Labels, Sample, write

SCRAPE_SECONDS = 15
DEADLINE_SECONDS = 4 * 86_400
JOB = "sglang-exporter"
WRITING = ("--web.enable-remote-write-receiver", "--web.enable-admin-api")
CONFIG = "global:\n  evaluation_interval: 15s\n"


class Box:
    """An exporter beside the files of one server; its clock begins at `start`, with both files there and empty."""

    def __init__(self, folder: Path, name: str, start: float, total: int) -> None:
        folder.mkdir()
        self._folder = folder
        self._instance = f"{name}:17461"
        self._clock = FixedClock(start)
        files = [folder / each for each in ("server.log", "raw_responses.jsonl")]
        for file in files:
            file.touch()
        server = ServerConfig(logs=str(files[0]), name=name, timezone="UTC", profile="batch")
        deadline = datetime.fromtimestamp(start + DEADLINE_SECONDS, UTC).isoformat()
        job = JobConfig(files=str(files[1]), name=name, total=total, deadline=deadline)
        checkpoint = CheckpointFile(folder / "checkpoint", VERSION)
        checkpoint.lock()
        self._exporter = build(Config(servers=[server], jobs=[job]), self._clock, Nobody(), checkpoint)
        ProcessCollector(registry=self._exporter.registry)
        self._shown: set[Labels] = set()
        self._step()

    def live(self, deliveries: Iterable[Delivery], seconds: float) -> Iterator[Sample]:
        """Yield what scrapes of so many seconds show, while the lines are written."""
        start, pending = self._clock.time, iter(deliveries)
        next_one = next(pending, None)
        for second in range(int(seconds) + 1):
            while next_one and next_one.after <= second:
                self._write(next_one)
                next_one = next(pending, None)
            self._clock.time = start + second
            self._step()
            if second % SCRAPE_SECONDS == 0:
                yield from self._scrape()

    def _write(self, delivery: Delivery) -> None:
        path = self._folder / delivery.name
        with path.open("ab") as file:
            file.write(delivery.line)
        os.utime(path, (self._clock.time + 1, self._clock.time + 1))

    def _step(self) -> None:
        while self._exporter.pipeline.step():
            pass

    def _scrape(self) -> Iterator[Sample]:
        began = time.perf_counter()
        page = {self._labels(one.name, one.labels): float(one.value) for one in self._samples()}
        page[self._labels("up", {})] = 1
        page[self._labels("scrape_samples_scraped", {})] = len(page)
        page[self._labels("scrape_duration_seconds", {})] = time.perf_counter() - began
        yield from (Sample(self._clock.time, labels, value) for labels, value in page.items())
        yield from (Sample(self._clock.time, labels, None) for labels in self._shown - page.keys())
        self._shown = set(page)

    def _samples(self) -> Iterator[Exposed]:
        for family in self._exporter.registry.collect():
            yield from family.samples

    def _labels(self, name: str, labels: dict[str, str]) -> Labels:
        return tuple(sorted({"__name__": name, "job": JOB, "instance": self._instance, **labels}.items()))


def store(folder: Path, boxes: Iterable[Iterator[Sample]]) -> None:
    """Give a Prometheus that has yet to start in the folder what the boxes showed, as blocks."""
    with PrometheusServer(folder / "writing", CONFIG, flags=WRITING) as server:
        write(server.url, merge(*boxes, key=attrgetter("time")))
        with urlopen(Request(f"{server.url}/api/v1/admin/tsdb/snapshot", method="POST"), timeout=60) as answer:
            name = json.load(answer)["data"]["name"]
        (folder / "writing" / "data" / "snapshots" / name).rename(folder / "data")


def add_rules(folder: Path, rules: list[Path], start: float, end: float) -> None:
    """Add what the recording rules would have made of the past, and `ALERTS` as if no alert had to wait."""
    for number, some in enumerate(_passes(rules)):
        file = folder / f"pass-{number}.yml"
        file.write_text(yaml.safe_dump({"groups": [{"name": "past", "rules": some}]}))
        with PrometheusServer(folder, CONFIG) as server:
            times = [f"--start={start:.0f}", f"--end={end:.0f}", f"--eval-interval={SCRAPE_SECONDS}s"]
            where = [f"--url={server.url}", f"--output-dir={folder / 'data'}"]
            _promtool("tsdb", "create-blocks-from", "rules", *times, *where, str(file))


def _passes(files: list[Path]) -> Iterator[list[dict[str, object]]]:
    """Yield rules in an order in which each finds what it is made of; alerts come last."""
    every = [rule for file in files for group in yaml.safe_load(file.read_text())["groups"] for rule in group["rules"]]
    waiting = [{"record": rule["record"], "expr": rule["expr"]} for rule in every if "record" in rule]
    while waiting:
        names = [rule["record"] for rule in waiting]
        now = [rule for rule in waiting if not any(name in rule["expr"] for name in names)]
        assert now, f"these rules wait for each other: {names}"
        yield now
        waiting = [rule for rule in waiting if rule not in now]
    yield [_as_recorded(rule) for rule in every if "alert" in rule]


def _as_recorded(rule: dict[str, object]) -> dict[str, object]:
    own = rule.get("labels") or {}
    assert isinstance(own, dict)
    labels = {**own, "alertname": rule["alert"], "alertstate": "firing"}
    return {"record": "ALERTS", "expr": f"group without () ({rule['expr']})", "labels": labels}


def _promtool(*arguments: str) -> None:
    done = subprocess.run([binary("promtool"), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
