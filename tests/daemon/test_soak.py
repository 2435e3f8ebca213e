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
TURNS = 4 * round(60 * MINUTES / PAUSE / 4)
"""A turn begins each PAUSE, or as soon as the one before it is done: on a slow machine the test takes longer."""
MOST_GROWTH = 1.05
TOTAL = "sglang_server_prefill_tokens_total"


class Fleet:
    """Servers that log, and a logrotate that renames each log in its turn."""

    def __init__(self, folder: Path) -> None:
        self.rotations = 0
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

    def rotate_up_to(self, rotations: int) -> None:
        """Rotate one log after the other until there have been so many rotations."""
        worlds = list(self.worlds.values())
        for number in range(self.rotations, rotations):
            world = worlds[number % SERVERS]
            world.rename()
            world.compress(2, cut=True)
            world.close_all_but_the_newest()
        self.rotations = rotations

    def differences(self, page: Samples) -> dict[str, tuple[float, float]]:
        said = {dict(labels)["server"]: value for (name, labels), value in page.items() if name == TOTAL}
        return {name: (said.get(name, 0), n) for name, n in self.wrote.items() if said.get(name, 0) != n}


class Watched:
    """Memory in bytes at each turn, and descriptors at the end of each quarter, of the daemon."""

    def __init__(self) -> None:
        self._memory: list[int] = []
        self.descriptors: list[int] = []

    def look(self, exporter: Exporter) -> None:
        self._memory.append(exporter.resident_bytes)

    def look_between_rotations(self, exporter: Exporter, fleet: Fleet) -> None:
        """Count descriptors when no file is in mid-rotation: as long as one is, it is open beside its successor."""

        def none_is_left() -> bool:
            fleet.log()  # a file is kept until its successor has a line
            return not any("/server.log." in path for path in exporter.descriptors)

        exporter.wait(none_is_left, 30, "no rotated file is open")
        self.descriptors.append(len(exporter.descriptors))

    @property
    def memory(self) -> list[float]:
        """The median of each quarter."""
        return [statistics.median(self._memory[n * TURNS // 4 : (n + 1) * TURNS // 4]) for n in range(4)]


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
            while turn < until * TURNS:
                turn += 1
                fleet.log()
                fleet.rotate_up_to(turn * ROTATIONS * SERVERS // TURNS)
                watched.look(exporter)
                exporter.page()
                if turn % (TURNS // 4) == 0:
                    watched.look_between_rotations(exporter, fleet)
                exporter.run_on(max(0.0, began + turn * PAUSE - time.monotonic()))
            exporter.signal(end)
        fleet.log()
    with Exporter(tmp_path, *flags, checkpoint=state) as exporter:
        assert not fleet.differences(exporter.page())
    memory, descriptors = watched.memory, watched.descriptors
    megabytes = ", ".join(f"{median / 1e6:.1f}" for median in memory)
    print(f"{fleet.rotations} rotations; MB by quarter: {megabytes}; descriptors at the end of each: {descriptors}")
    assert memory[3] <= memory[1] * MOST_GROWTH
    assert descriptors[3] <= descriptors[1] + 2
