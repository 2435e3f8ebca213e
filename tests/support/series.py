"""Runs of a server with known change points: a closed loop of requests, with noise, trend, steps and retraction dips."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Literal, NamedTuple

from sglang_exporter.state.laps import Lap

INTERVAL = 4.0
_START = 1_795_968_000.0


class Line(NamedTuple):
    """A batch line or a retraction, and the phase that the server is truly in."""

    kind: Literal["decode", "prefill", "retract"]
    rank: str
    said: Lap
    truth: str


@dataclass
class Series:
    """A run: its lines in order, and the change points and the mean speed of the steady state that it was made from."""

    lines: list[Line] = field(default_factory=list)
    warm: float = 0.0
    drained: float = 0.0
    mean: float = 0.0


@dataclass
class Shape:
    """What a run is made from, drawn at random."""

    random: Random

    def __post_init__(self) -> None:
        random = self.random
        self.ranks = random.choice((1, 1, 2, 4))
        self.slots = random.randrange(4, 120)
        self.life = random.uniform(15, 50)
        self.spread = random.uniform(0.1, 0.8)
        self.steady = random.randrange(150, 500)
        self.speed = random.uniform(200, 5000)
        self.overshoot = random.uniform(-0.3, 0.3)
        self.noise = random.uniform(0.005, 0.05)
        self.memory = random.uniform(0.0, 0.8)
        self.trend = random.choice((0.0, 0.0, random.uniform(-0.1, 0.1)))
        self.step = random.choice((0.0, 0.0, random.uniform(-0.2, 0.2)))
        self.dips = random.choice((0.0, 0.02))
        self.usage = random.uniform(0.2, 0.95)


def series(seed: int) -> Series:
    """Return a run of some hundred laps: the first burst, steady state, drain."""
    return _Run(Shape(Random(seed))).made()


class _Run:
    def __init__(self, shape: Shape) -> None:
        self.shape, self.random = shape, shape.random
        self.lives = [self._life() for _ in range(shape.slots)]
        self.finished, self.lap, self.ar = 0, 0, 0.0
        self.retracted: list[float] = []
        self.out = Series()
        self.speeds: list[float] = []

    def made(self) -> Series:
        joined, stop = self.shape.slots, 0
        while self.lives or self.retracted:
            at = _START + self.lap * INTERVAL
            phase = "steady" if self.finished >= self.shape.slots else "warmup"
            if phase == "steady" and not stop:
                self.out.warm, stop = at, self.lap + self.shape.steady
            if stop and self.lap >= stop:
                self.out.drained = self.out.drained or at
                phase = "drain"
            self._print(at, phase, joined)
            joined = self._go_on(refill=phase != "drain")
            self.lap += 1
        self.out.mean = sum(self.speeds) / len(self.speeds)
        return self.out

    def _life(self) -> float:
        shape = self.shape
        return max(2.0, shape.life * (1 + shape.spread * self.random.uniform(-1, 1)))

    def _go_on(self, *, refill: bool) -> int:
        """Let a lap pass; return how many join in it."""
        self.lives = [life - 1 for life in self.lives]
        left = sum(life <= 0 for life in self.lives)
        self.finished += left
        self.lives = [life for life in self.lives if life > 0]
        back, self.retracted = self.retracted, []
        self.lives += back
        if refill and self.random.random() < self.shape.dips:
            number = max(1, len(self.lives) // 5)
            self.retracted, self.lives = self.lives[:number], self.lives[number:]
        new = left if refill else 0
        self.lives += [self._life() for _ in range(new)]
        return new + len(back)

    def _print(self, at: float, phase: str, joined: int) -> None:
        shape = self.shape
        speed, usage = self._speed(phase), self._usage(phase)
        queued = float(len(self.retracted))
        if self.retracted:
            self.out.lines.append(Line("retract", "0", Lap(at, queued, 0, 0, None), phase))
        for rank in range(shape.ranks):
            mine = [len(range(rank, number, shape.ranks)) for number in (len(self.lives), joined)]
            when, name = at + rank * INTERVAL / shape.ranks / 2, str(rank)
            waiting = queued if rank == 0 else 0.0
            if mine[1]:
                said = Lap(when, max(0, mine[0] - mine[1]), waiting, usage, None, mine[1])
                self.out.lines.append(Line("prefill", name, said, phase))
            if mine[0]:
                said = Lap(when, mine[0], waiting, usage, speed / shape.ranks)
                self.out.lines.append(Line("decode", name, said, phase))

    def _speed(self, phase: str) -> float:
        shape = self.shape
        self.ar = shape.memory * self.ar + self.random.gauss(0, shape.noise) * (1 - shape.memory**2) ** 0.5
        level = shape.speed
        if phase == "warmup":
            level *= 1 + shape.overshoot * max(0.0, 1 - self.finished / shape.slots)
        elif phase == "steady":
            share = (self.lap - (self.out.warm - _START) / INTERVAL) / shape.steady
            level *= 1 + shape.trend * (share - 0.5) + (shape.step if share > 0.5 else 0.0)
        else:
            level *= (len(self.lives) / shape.slots) ** 0.7
        level *= 0.5 if self.retracted else 1.0
        if phase == "steady":
            self.speeds.append(level)
        return max(0.0, level * (1 + self.ar))

    def _usage(self, phase: str) -> float:
        shape = self.shape
        age = min(1.0, self.lap / shape.life) if phase == "warmup" else 1.0
        return round(shape.usage * age * len(self.lives) / shape.slots, 2)


def phases(run: Series) -> Iterator[tuple[str, float, float]]:
    """Yield the true phases as (phase, begin, end)."""
    yield "warmup", _START, run.warm
    yield "steady", run.warm, run.drained
    yield "drain", run.drained, run.lines[-1].said.at
