"""One recording in two real Prometheus: scraped while it is replayed fast, and backfilled when it is over."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from support import fast
from support.exporter import Exporter
from support.prometheus import PrometheusServer, binary
from support.raw import Points, Series, around, raw
from support.recordings import RECORDINGS

RECORDING = RECORDINGS / "0.5.23-dp2-tp2"
SPEED = 15
SCRAPE_SECONDS = 2
LATE_SECONDS = 0.5  # what a busy machine may be late by with writing, reading and scraping
TOLERANCE = (SCRAPE_SECONDS + LATE_SECONDS) * SPEED
ALL = '{__name__=~"sglang_.*"}'
UP = "sglang_exporter_build_info"
CONFIG = """\
global: {{scrape_interval: {interval}s}}
scrape_configs:
  - job_name: sglang-exporter
    static_configs: [{{targets: ["{target}"]}}]
"""
# What is told of the process, or of how it keeps up, and not of the files.
LEFT_OUT = (
    "sglang_exporter_watch_backend",
    "sglang_exporter_collector_",
    "sglang_exporter_config_",
    "sglang_exporter_lag_",
)


def sources(folder: Path) -> list[str]:
    return ["--log", f"{folder}/server.log", "--outputs", f"{folder}/raw_responses.jsonl", "--total", "5000"]


def scraped(folder: Path, start: float) -> dict[Series, Points]:
    """Replay the recording beside the exporter and a Prometheus, and return what that has, by the exporter's clock."""
    clock = f"{SPEED}@{start}"
    with Exporter(folder, *sources(folder), script=(fast.__file__, clock)) as exporter:
        config = CONFIG.format(interval=SCRAPE_SECONDS, target=exporter.url.removeprefix("http://"))
        with PrometheusServer(folder / "live", config) as prometheus:
            command = [fast.__file__, clock, "replay", str(RECORDING), "--into", str(folder), "--speed", str(SPEED)]
            subprocess.run([sys.executable, *command], check=True, stderr=subprocess.DEVNULL)
            found = raw(prometheus, ALL, time.time(), 600)
    return {series: [(start + (at - start) * SPEED, value) for at, value in points] for series, points in found.items()}


def filled(folder: Path, instance: str) -> dict[Series, Points]:
    """Backfill the replayed files into another Prometheus and return what that has."""
    text = folder / "history.om"
    command = [sys.executable, "-m", "sglang_exporter", "backfill", "--step", "1", "--label", f"instance={instance}"]
    with text.open("wb") as output:
        subprocess.run([*command, *sources(folder)], check=True, stdout=output)
    into = folder / "filled"
    promtool = [binary("promtool"), "tsdb", "create-blocks-from", "openmetrics", str(text), str(into / "data")]
    subprocess.run(promtool, check=True, stdout=subprocess.DEVNULL)
    last = float(text.read_text().splitlines()[-2].rpartition(" ")[2])
    with PrometheusServer(into, "global: {scrape_interval: 15s}") as prometheus:
        return raw(prometheus, ALL, last + 1, 3600)


def compared(series: dict[Series, Points]) -> dict[Series, Points]:
    return {labels: points for labels, points in series.items() if not dict(labels)["__name__"].startswith(LEFT_OUT)}


class Comparison:
    """Samples of one side looked for on the other, within the tolerance of their time; `odd` counts those not found."""

    def __init__(self, live: dict[Series, Points], history: dict[Series, Points]) -> None:
        self.live = live
        self.history = history
        times = [at for points in history.values() for at, _ in points]
        self._inner = (min(times) + TOLERANCE, max(times) - TOLERANCE)
        self._scrapes = next(points for series, points in live.items() if dict(series)["__name__"] == UP)
        self.odd: Counter[str] = Counter()
        self.same = self.exact = 0

    def look_for_scraped(self) -> None:
        """A scraped value lies among those backfilled around its time: a scrape may find half of a second's lines."""
        for series, points in self.live.items():
            windowed = "window" in dict(
                series
            )  # it is told once it has passed, and the exporter was there before the run
            since = self.history[series][0][0] + TOLERANCE if windowed else 0.0
            for at, value in self._within([point for point in points if point[0] > since]):
                there = around(self.history.get(series, []), at, TOLERANCE)
                slack = _slack(dict(series)["__name__"], value)
                if there and min(there) - slack <= value <= max(there) + slack:
                    self.same += 1
                    self.exact += value in there
                else:
                    self.odd[f"{dict(series)['__name__']} {value} not in {there[:1]} to {there[-1:]} at {at}"] += 1

    def look_for_backfilled(self) -> None:
        """A backfilled series is there in one of the scrapes around its time, where there were two at least."""
        for series, points in self.history.items():
            for at, _ in self._within(points):
                scrapes = len(around(self._scrapes, at, TOLERANCE))
                if scrapes > 1 and not around(self.live.get(series, []), at, TOLERANCE):
                    self.odd[f"{dict(series)['__name__']}, only backfilled"] += 1

    def _within(self, points: Points) -> Points:
        begin, end = self._inner
        return [point for point in points if begin <= point[0] <= end]


def _slack(name: str, value: float) -> float:
    """Return how far a value may be off: times by when they were noticed, windows by what arrived late at their edge."""
    if "_timestamp_seconds" in name:
        return TOLERANCE
    return abs(value) * (0.05 if name.startswith("sglang_job_") and name.endswith("_per_second") else 1e-9)


@pytest.mark.slow
@pytest.mark.prometheus
@pytest.mark.timeout(300)
def test_every_series_has_the_same_values_within_a_scrape_interval(tmp_path: Path) -> None:
    live = compared(scraped(tmp_path, float(int(time.time()))))
    history = compared(filled(tmp_path, next(dict(series)["instance"] for series in live)))
    comparison = Comparison(live, history)
    comparison.look_for_scraped()
    comparison.look_for_backfilled()
    print(f"{comparison.same} samples of {len(live)} series agree, {comparison.exact} to the last digit")
    assert not comparison.odd
    assert comparison.same > 1000
    assert comparison.exact > 0.75 * comparison.same
