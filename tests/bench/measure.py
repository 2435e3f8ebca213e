"""What a command costs: whole processes one after the other, interleaved, so that a busy machine slows them all."""

import os
import re
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from time import monotonic
from typing import NamedTuple

ROUNDS = 5
_TICKS = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """CPU seconds of user and system, seconds on the wall, and megabytes at the peak, not under those of this process."""

    cpu: float
    wall: float
    peak: float


def cost(command: Sequence[str]) -> Cost:
    """Run a command to its end; raises CalledProcessError when it fails."""
    began = monotonic()
    with tempfile.TemporaryFile() as output:  # grep that writes to /dev/null stops at its first match
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(usage.ru_utime + usage.ru_stime, monotonic() - began, usage.ru_maxrss / 1024)


def costs(
    commands: Mapping[str, Sequence[str]], rounds: int = ROUNDS, before: Callable[[], object] = lambda: None
) -> dict[str, Cost]:
    """Return the medians of each command's costs over interleaved rounds; `before` is called before each command."""
    found: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            before()
            found[name].append(cost(command))
    return {name: Cost(*map(median, zip(*each, strict=True))) for name, each in found.items()}


class Spent(NamedTuple):
    """What a running process has spent so far: CPU seconds, times it woke up, megabytes now and at the peak."""

    cpu: float
    wakes: int
    resident: float
    peak: float


def spent(pid: int) -> Spent:
    """Return what a process has spent, all its threads together."""
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    tasks = [(task / "status").read_text() for task in Path(f"/proc/{pid}/task").iterdir()]
    wakes = sum(_number("voluntary_ctxt_switches", status) for status in tasks)
    status = Path(f"/proc/{pid}/status").read_text()
    cpu = (int(stat[11]) + int(stat[12])) / _TICKS
    return Spent(cpu, wakes, _number("VmRSS", status) / 1024, _number("VmHWM", status) / 1024)


def _number(name: str, status: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)
    return int(found[1]) if found else 0
