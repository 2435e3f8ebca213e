"""The engine as a whole, lap by lap: data-parallel ranks print out of step, and their sum needs a line of each."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

import msgspec
from msgspec.structs import replace

_MOST_MISSED = 4


class Lap(msgspec.Struct, frozen=True, array_like=True):
    """What all ranks together said last; `speed` in tokens per second is None while a rank has told none yet.

    `at` is in seconds since the epoch, `usage` the fullest rank's share of its KV cache and `used` the tokens in it;
    `joined` requests were let in since the lap before.
    """

    at: float
    running: float
    queued: float
    usage: float
    speed: float | None
    joined: float = 0.0
    used: float = 0.0


@dataclass(slots=True)
class Laps:
    """The last line of each rank, and what joined since the last lap.

    A lap is over when a rank prints a second Decode line; before the first of them, or where there are none, as on a
    server that only prefills, when it prints a second Prefill line. Ranks that missed four laps are silent and not in
    the sums.
    """

    ranks: dict[str, Lap] = field(default_factory=dict)
    missed: dict[str, int] = field(default_factory=dict)
    joined: float = 0.0
    decodes: bool = False

    def decode(self, rank: str, said: Lap) -> Lap | None:
        """Take a Decode line; return the lap that it ends, if it ends one.

        The speed of a rank's first line is left out: it is the mean over whatever pause lay before it.
        """
        if not self.decodes:
            self.decodes, self.missed = True, {}
        missed = self.missed
        over = self._end(rank, said.at) if missed.get(rank) == 0 else None
        self.ranks[rank] = said if rank in missed else replace(said, speed=None)
        missed[rank] = 0
        return over

    def prefill(self, rank: str, said: Lap) -> Lap | None:
        """Take a Prefill line, whose `joined` are not in its `running` yet; its speed is the one told before."""
        over = None
        if not self.decodes:
            over = self._end(rank, said.at) if self.missed.get(rank) == 0 else None
            self.missed[rank] = 0
        before = self.ranks.get(rank)
        self.joined += said.joined
        speed, used = (before.speed, before.used) if before else (None, 0.0)
        self.ranks[rank] = replace(said, running=said.running + said.joined, speed=speed, used=used)
        return over

    @property
    def running(self) -> float:
        """Requests that run on all ranks, as far as told."""
        return sum([rank.running for rank in self.ranks.values()])

    def _end(self, leader: str, at: float) -> Lap:
        """Return the lap that is over when `leader` prints its second line in it."""
        joined, self.joined = self.joined, 0.0
        ranks, missed = self.ranks, self.missed
        if len(missed) == len(ranks) == 1:  # as on most servers: nothing is to be summed, and nobody is missed
            one = ranks[leader]
            return Lap(at, one.running, one.queued, one.usage, one.speed, joined, one.used)
        for rank in missed:
            missed[rank] += 1
            if missed[rank] > _MOST_MISSED:
                ranks.pop(rank, None)
        return _sum(ranks.values(), at, joined)


def _sum(ranks: Iterable[Lap], at: float, joined: float) -> Lap:
    running = queued = speed = used = 0.0
    usage, known = -math.inf, True
    for rank in ranks:
        running += rank.running
        queued += rank.queued
        used += rank.used
        usage = max(usage, rank.usage)
        if rank.speed is None:
            known = False
        else:
            speed += rank.speed
    return Lap(at, running, queued, usage, speed if known else None, joined, used)
