"""The benchmarks: each yields figures, most of them beside a peer's in the same run."""

import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from statistics import median, quantiles

from bench import data
from bench.figure import Figure
from bench.measure import ROUNDS, costs
from bench.served import EXPORTER, MTAIL, Served, exporter, mtail, mtail_once
from bench.size import size
from bench.writer import DECODE

_SPEED = re.compile(r"(?:gen_throughput_tokens_per_second|^throughput)\{[^}]*\} (\S+)", re.MULTILINE)


def log_catch_up(megabytes: int) -> Iterator[Figure]:
    """CPU to read a log to its end."""
    path = data.log(megabytes)
    found = costs(
        {
            "exporter": [EXPORTER, "once", "--log", str(path)],
            "mtail": mtail_once("log.mtail", path),
            "grep": ["grep", "-c", "Decode batch", str(path)],
        }
    )
    gigabytes = path.stat().st_size / 1e9
    for peer, bound in (("mtail", "0.33"), ("grep", "")):
        yield Figure(
            "log catch-up", found["exporter"].cpu / gigabytes, "CPU s/GB", peer, found[peer].cpu / gigabytes, bound
        )
    yield Figure("log catch-up, peak memory", found["exporter"].peak, "MB", "mtail", found["mtail"].peak)


def outputs_catch_up(megabytes: int) -> Iterator[Figure]:
    """CPU to read an output file to its end."""
    path = data.outputs(megabytes)
    found = costs(
        {
            "exporter": [EXPORTER, "once", "--outputs", str(path)],
            "mtail": mtail_once("outputs.mtail", path),
            "grep": ["grep", "-c", '"finish_reason": "stop"', str(path)],
        }
    )
    gigabytes = path.stat().st_size / 1e9
    for peer, bound in (("grep", "5"), ("mtail", "0.12")):
        yield Figure(
            "outputs catch-up", found["exporter"].cpu / gigabytes, "CPU s/GB", peer, found[peer].cpu / gigabytes, bound
        )
    yield Figure("outputs catch-up, peak memory", found["exporter"].peak, "MB", "mtail", found["mtail"].peak, "80 MB")


def files(_megabytes: int) -> Iterator[Figure]:
    """What a file costs when there are many, beside few."""
    line = (DECODE.format(1351.4) * 200).encode()
    each: dict[int, float] = {}
    for count in (1, 100, 5000):
        with tempfile.TemporaryDirectory() as folder:
            for number in range(count):
                (Path(folder) / f"server-{number}.log").write_bytes(line)
            found = costs({"once": [EXPORTER, "once", "--log", f"{folder}/*.log"]}, rounds=3)
            each[count] = found["once"].cpu
    few, many = (each[100] - each[1]) / 99, (each[5000] - each[1]) / 4999
    yield Figure("a file of 200 lines among 5,000", many * 1000, "CPU ms", "100 files", few * 1000, "1.1")


def follow(_megabytes: int) -> Iterator[Figure]:
    """200 files that grow by ten lines a second each: medians of interleaved rounds."""
    rounds = [
        (
            _following(lambda folder: exporter("--log", f"{folder}/*.log")),
            _following(lambda folder: mtail(f"{folder}/*.log")),
        )
        for _ in range(ROUNDS)
    ]
    ours, peer = ([*map(median, zip(*each, strict=True))] for each in zip(*rounds, strict=True))
    yield Figure("follow 200 files at 10 lines/s", ours[0], "% CPU", "mtail", peer[0], "0.5")
    yield Figure("... wake-ups", ours[1], "1/s", "mtail", peer[1])
    yield Figure(
        "... age of the newest value, 95th percentile", ours[2] * 1000, "ms", "mtail", peer[2] * 1000, "500 ms"
    )


def idle(_megabytes: int) -> Iterator[Figure]:
    """20 files to which nobody writes."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(20):
            (Path(folder) / f"server-{number}.log").write_text(DECODE.format(1.0) * 100)
        with exporter("--log", f"{folder}/*.log") as served:
            time.sleep(5)
            cpu, wakes = served.during(30)
            resident = served.spent().resident
    yield Figure("idle, 20 files", cpu, "% CPU", bound="0.2")
    yield Figure("... wake-ups", wakes, "1/s", bound="2")
    yield Figure("... memory", resident, "MB", bound="45")


def visible(_megabytes: int) -> Iterator[Figure]:
    """From a line's append to its value on the page, ten lines a second."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "server.log"
        path.write_text(DECODE.format(1.0))
        with exporter("--log", str(path)) as served, path.open("a", buffering=1) as log:
            time.sleep(2)
            seconds = [_until_visible(log.write, served, 1000 + number) for number in range(100)]
    yield Figure("append to visible, 95th percentile", quantiles(seconds, n=20)[-1] * 1000, "ms", bound="100")


def scrape(_megabytes: int) -> Iterator[Figure]:
    """A page of some 8,000 series."""
    with tempfile.TemporaryDirectory() as folder, _writer(folder, 200):
        time.sleep(1)
        with exporter("--log", f"{folder}/*.log") as ours, mtail(f"{folder}/*.log") as peer:
            time.sleep(8)
            figures = [_per_series(served) for served in (ours, peer)]
    (cost, count), (other, _) = figures
    yield Figure(f"scrape of {count} series, per 1,000", cost, "CPU ms", "mtail", other, "1")


def start(_megabytes: int) -> Iterator[Figure]:
    """From the start of the process to the first answer on /metrics, with nothing to follow yet."""
    seconds = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(2 * ROUNDS):
            began = time.monotonic()
            with exporter("--log", f"{folder}/server.log") as served:
                seconds.append(served.started - began)
    yield Figure("start to first answer", median(seconds) * 1000, "ms", bound="400")


BENCHMARKS: dict[str, tuple[Callable[[int], Iterator[Figure]], int]] = {
    "log": (log_catch_up, 300),
    "outputs": (outputs_catch_up, 600),
    "size": (size, 1000),
    "files": (files, 0),
    "follow": (follow, 0),
    "idle": (idle, 0),
    "visible": (visible, 0),
    "scrape": (scrape, 0),
    "start": (start, 0),
}
"""Each benchmark, and the megabytes that it reads unless told otherwise."""


def _following(serve: Callable[[str], AbstractContextManager[Served]]) -> tuple[float, float, float]:
    """Return per cent of a CPU, wake-ups per second and the age of the newest value, in seconds."""
    with tempfile.TemporaryDirectory() as folder, _writer(folder, 200):
        time.sleep(1)
        with serve(folder) as served:
            time.sleep(5)
            cpu, wakes = served.during(20)
            ages = [_age(served) for _ in range(40)]
    return cpu, wakes, quantiles(ages, n=20)[-1]


def _age(served: Served) -> float:
    time.sleep(0.073)
    page = served.page()
    return time.monotonic() - max(map(float, _SPEED.findall(page)))


def _per_series(served: Served) -> tuple[float, int]:
    """Return the CPU milliseconds per 1,000 series of a scrape, beyond what following costs, and the series."""
    rounds, page = 30, served.page()
    count = sum(not line.startswith("#") for line in page.splitlines())
    base, _ = served.during(5)
    before, began = served.spent().cpu, time.monotonic()
    for _ in range(rounds):
        served.page()
    cpu = served.spent().cpu - before - base / 100 * (time.monotonic() - began)
    return cpu / rounds / count * 1e6, count


def _until_visible(write: Callable[[str], object], served: Served, value: int) -> float:
    time.sleep(0.1)
    write(DECODE.format(value))
    began = time.monotonic()
    while f"}} {value}.0" not in served.page():
        pass
    return time.monotonic() - began


@contextmanager
def _writer(folder: str, count: int) -> Iterator[None]:
    command = [sys.executable, str(Path(__file__).with_name("writer.py")), folder, str(count), "10"]
    process = subprocess.Popen(command)
    try:
        yield
    finally:
        process.kill()
        process.wait()


def missing() -> list[str]:
    """Return the peers that are not installed."""
    return [peer for peer in (MTAIL, "grep") if not shutil.which(peer)]
