"""The engine as a whole, lap by lap: data-parallel ranks print out of step, and their sum needs a line of each."""

from typing import NamedTuple

import msgspec

_MOST_MISSED = 4


class Lap(NamedTuple):
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


class Laps(msgspec.Struct):
    """The last line of each rank, and what joined since the last lap.

    A lap is over when a rank prints a second Decode line; before the first of them, or where there are none, as on a
    server that only prefills, when it prints a second Prefill line. Ranks that missed four laps are silent and not in
    the sums.
    """

    ranks: dict[str, Lap] = {}
    missed: dict[str, int] = {}
    joined: float = 0.0
    decodes: bool = False

    def decode(self, rank: str, said: Lap) -> Lap | None:
        """Take a Decode line; return the lap that it ends, if it ends one.

        The speed of a rank's first line is left out: it is the mean over whatever pause lay before it.
        """
        if not self.decodes:
            self.decodes, self.missed = True, {}
        over = self._end(rank, said.at)
        known = rank in self.missed
        self.ranks[rank] = said if known else said._replace(speed=None)
        self.missed[rank] = 0
        return over

    def prefill(self, rank: str, said: Lap) -> Lap | None:
        """Take a Prefill line, whose `joined` are not in its `running` yet; its speed is the one told before."""
        over = None if self.decodes else self._end(rank, said.at)
        if not self.decodes:
            self.missed[rank] = 0
        before = self.ranks.get(rank)
        self.joined += said.joined
        speed, used = (before.speed, before.used) if before else (None, 0.0)
        self.ranks[rank] = said._replace(running=said.running + said.joined, speed=speed, used=used)
        return over

    @property
    def running(self) -> float:
        """Requests that run on all ranks, as far as told."""
        return sum(rank.running for rank in self.ranks.values())

    def _end(self, leader: str, at: float) -> Lap | None:
        """Return the lap that is over when `leader` prints, if it is its second line in it."""
        if self.missed.get(leader) != 0:
            return None
        for rank in self.missed:
            self.missed[rank] += 1
            if self.missed[rank] > _MOST_MISSED:
                self.ranks.pop(rank, None)
        ranks = list(self.ranks.values())
        speeds = [rank.speed for rank in ranks if rank.speed is not None]
        lap = Lap(
            at,
            sum(rank.running for rank in ranks),
            sum(rank.queued for rank in ranks),
            max(rank.usage for rank in ranks),
            sum(speeds) if len(speeds) == len(ranks) else None,
            self.joined,
            sum(rank.used for rank in ranks),
        )
        self.joined = 0.0
        return lap
