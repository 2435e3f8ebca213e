"""Logs and output files to measure with, the same at each run, kept in $BENCH_DATA (/var/tmp/sglang-exporter-bench)."""

import os
import subprocess
import sys
from pathlib import Path

from bench import generate

FOLDER = Path(os.environ.get("BENCH_DATA", "/var/tmp/sglang-exporter-bench"))  # noqa: S108 -- large, and kept
_BLOCK = 1 << 20


def log(megabytes: int) -> Path:
    """Return a server log: 35 % Decode, 10 % Prefill, 50 % access lines, 5 % others, of eight ranks."""
    return _kept("log", f"server-{megabytes}.log", megabytes)


def outputs(megabytes: int) -> Path:
    """Return an output file of records of 16 KiB with tokens, finish reason and latency."""
    return _kept("outputs", f"outputs-{megabytes}.jsonl", megabytes)


def warm(path: Path) -> None:
    """Have the whole file in the page cache, as far as there is room for it."""
    with path.open("rb", buffering=0) as file:
        while file.read(_BLOCK):
            pass


def cool(path: Path) -> None:
    """Have nothing of the file in the page cache, so that it must be fetched from the disk."""
    with path.open("rb+") as file:
        os.fsync(file.fileno())  # what is not written yet is not dropped
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _kept(kind: str, name: str, megabytes: int) -> Path:
    path = FOLDER / name
    if not path.exists():
        FOLDER.mkdir(parents=True, exist_ok=True)
        unfinished = path.with_suffix(".part")
        subprocess.run([sys.executable, generate.__file__, kind, str(megabytes), str(unfinished)], check=True)
        unfinished.rename(path)
    return path
