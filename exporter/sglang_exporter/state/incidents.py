"""One incident is one, though sixteen ranks print it."""

import msgspec

_TOGETHER = 60.0


class Incident(msgspec.Struct):
    """The last incident of a kind: when its last line came, in seconds since the epoch, and which ranks told of it."""

    last: float
    ranks: list[str]


class Incidents(msgspec.Struct):
    """Incidents by kind. Lines within 60 s are one incident, unless a rank tells of a second one."""

    open: dict[str, Incident] = {}

    def is_new(self, kind: str, rank: str, at: float) -> bool:
        """Note that `rank` (empty where the line names none) told of a `kind`; tell whether that is a new incident."""
        known = self.open.get(kind)
        if known and abs(at - known.last) <= _TOGETHER and (not rank or rank not in known.ranks):
            known.last = at
            known.ranks = [*known.ranks, rank] if rank else known.ranks
            return False
        self.open[kind] = Incident(at, [rank] if rank else [])
        return True


class Echoes(msgspec.Struct):
    """Things that every rank of a group prints in the same order: the n-th of a rank is the n-th of the group."""

    heard: dict[str, int] = {}

    def is_new(self, rank: str) -> bool:
        """Note one more from `rank`; tell whether no other rank had told of it."""
        first = max(self.heard.values(), default=0)
        self.heard[rank] = self.heard.get(rank, 0) + 1
        return self.heard[rank] > first
