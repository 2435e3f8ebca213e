"""The recordings of tests/recordings, as text and as the server's own gauges."""

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parent.parent.parent
RECORDINGS = ROOT / "tests" / "recordings"
_SAMPLE = re.compile(r"^sglang[:_](\w+)\{(.*)\} (\S+)$")
_LABEL = re.compile(r'(\w+)="([^"]*)"')


class Scrape(NamedTuple):
    """One answer of the server's own /metrics: gauges by name and DP rank, the second it was taken at."""

    at: float
    gauges: dict[tuple[str, str], float]


def lines(recording: str, name: str) -> Iterator[str]:
    """Yield the lines of `server.log`, `raw_responses.jsonl` or `metrics.jsonl` without their line feeds."""
    with gzip.open(RECORDINGS / recording / f"{name}.gz", "rb") as file:
        for line in file:
            yield line.rstrip(b"\n").decode(errors="replace")


def unpack(recording: str, name: str, into: Path) -> Path:
    """Write a file of a recording into a folder and return its path."""
    path = into / name
    path.write_bytes(gzip.decompress((RECORDINGS / recording / f"{name}.gz").read_bytes()))
    return path


def records(recording: str) -> list[dict[str, Any]]:
    """Return the job's records."""
    return [json.loads(line) for line in lines(recording, "raw_responses.jsonl")]


def scrapes(recording: str) -> Iterator[Scrape]:
    """Yield the scrapes that the server answered, in order; each has left an access line in its log."""
    for line in lines(recording, "metrics.jsonl"):
        row = json.loads(line)
        if "body" in row:
            yield Scrape(row["t0"], dict(_gauges(row["body"])))


def _gauges(body: str) -> Iterator[tuple[tuple[str, str], float]]:
    for line in body.splitlines():
        if sample := _SAMPLE.match(line):
            labels = dict(_LABEL.findall(sample[2]))
            if labels.get("tp_rank", "0") == "0" and not labels.get("priority"):
                yield (sample[1], labels.get("dp_rank", "")), float(sample[3])


def printed(log: str, label: str) -> set[float]:
    """Return all values that a log prints behind a label."""
    return {float(value) for value in re.findall(re.escape(label) + r": ([0-9.]+)", log)}
