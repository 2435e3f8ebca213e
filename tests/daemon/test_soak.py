"""Under load for a while: memory and descriptors stay where they are, and the counts are exact.

MINUTES says how long. Each log rotates once a minute, at least three times; the daemon is restarted in the first quarter, once by kill -9.
"""

import os
import random
import signal
import statistics
import time
from pathlib import Path

import pytest

from follow.world import World
from support.exporter import Exporter, Samples
from support.servers import prefill

MINUTES = float(os.environ.get("MINUTES", "0.5"))
SERVERS = 200
ROTATIONS = max(3, round(MINUTES))
PAUSE = 0.5
MOST_GROWTH = 1.05
TOTAL = "sglang_server_prefill_tokens_total"


class Fleet:
    """Servers that log, and a logrotate that renames each log in its turn."""

    def __init__(self, folder: Path) -> None:
        self.wrote: dict[str, int] = {}
        self.worlds: dict[str, World] = {}
        for number in range(SERVERS):
            name = f"node{number}"
            (folder / name).mkdir()
            self.worlds[name] = World(folder / name, appends=True)
            self.worlds[name].create()
            self.wrote[name] = 0

    def log(self) -> None:
        """Have each server write a few lines."""
        for name, world in self.worlds.items():
            new = [random.randrange(1, 1000) for _ in range(random.randrange(5))]
            world.log.write(b"".join(prefill("10:00:00", new=tokens).encode() + b"\n" for tokens in new))
            self.wrote[name] += sum(new)

    def rotate(self, names: list[str]) -> None:
        for name in names:
            self.worlds[name].rename()
            self.worlds[name].compress(2, cut=True)
            self.worlds[name].close_all_but_the_newest()

    def differences(self, page: Samples) -> dict[str, tuple[float, float]]:
        said = {dict(labels)["server"]: value for (name, labels), value in page.items() if name == TOTAL}
        return {name: (said.get(name, 0), n) for name, n in self.wrote.items() if said.get(name, 0) != n}


class Watched:
    """Memory in bytes and descriptors of the daemon, as time goes on."""

    def __init__(self) -> None:
        self.samples: list[tuple[float, int, int]] = []

    def look(self, exporter: Exporter, share: float) -> None:
        self.samples.append((share, exporter.resident_bytes, exporter.descriptors))

    def quarter(self, number: int) -> tuple[float, int]:
        """Return median memory and most descriptors in a quarter of the time, from 1."""
        inside = [sample for sample in self.samples if number - 1 <= 4 * sample[0] < number]
        return statistics.median(memory for _, memory, _ in inside), max(fds for _, _, fds in inside)


@pytest.mark.slow
@pytest.mark.timeout(120 + 90 * MINUTES)
def test_memory_and_descriptors_are_flat_and_counts_exact(tmp_path: Path) -> None:
    fleet, watched = Fleet(tmp_path), Watched()
    flags: list[str | Path] = ["--log", tmp_path / "{server}" / "server.log"]
    state = tmp_path / "state"
    began, turn = time.monotonic(), 0
    for until, end in ((0.1, signal.SIGKILL), (0.2, signal.SIGTERM), (1.0, signal.SIGKILL)):
        with Exporter(tmp_path, *flags, checkpoint=state) as exporter:
            exporter.wait((state / "checkpoint").exists, 20, "a checkpoint is there")
            while (share := (time.monotonic() - began) / (60 * MINUTES)) < until:
                fleet.log()
                due = int(share * ROTATIONS * SERVERS)
                names = list(fleet.worlds)
                fleet.rotate([names[number % SERVERS] for number in range(turn, due)])
                turn = due
                watched.look(exporter, share)
                exporter.page()
                exporter.run_on(PAUSE)
            exporter.signal(end)
        fleet.log()
    with Exporter(tmp_path, *flags, checkpoint=state) as exporter:
        assert not fleet.differences(exporter.page())
    (early, some), (late, most) = watched.quarter(2), watched.quarter(4)
    print(f"{turn} rotations; {early / 1e6:.1f} MB became {late / 1e6:.1f} MB, {some} descriptors {most}")
    assert late <= early * MOST_GROWTH
    assert most <= some + 2
