"""A day of a job on a server that shares its speed among the requests that run: burst, steady state, a dip, drain."""

from collections.abc import Iterator
from heapq import heappop, heappush
from random import Random
from typing import NamedTuple

HOUR = 3600.0
RUNNING = 150
SPEED = 1350.0
"""Tokens per second of all requests together."""
MOST_SPEED = 30.0
"""Tokens per second of a request that has the server nearly to itself."""
MEAN, SPREAD = 7.9, 0.9
"""Of the logarithm of an answer's tokens: 4,050 in the mean, a hundredth over 21,000."""
MOST_TOKENS = 32_768
DIP = (10.0 * HOUR, 10.7 * HOUR)
"""When the server retracts requests and half of its work is for nothing."""
BURST = 0.5 * HOUR
"""For so long after the start the KV cache is empty and the server faster by a third."""


class Answer(NamedTuple):
    """An answer: when it comes, how long it took, and whether any requests were still to be begun then."""

    at: float
    latency: float
    draining: bool


def day(random: Random, total: int, *, dip: tuple[float, float] = DIP) -> Iterator[Answer]:
    """Yield the answers of a job of so many requests."""
    running: list[tuple[float, float]] = []
    started, now, served = 0, 0.0, 0.0
    while started < total or running:
        while started < total and len(running) < RUNNING:
            heappush(running, (served + min(random.lognormvariate(MEAN, SPREAD), MOST_TOKENS), now))
            started += 1
        until, began = heappop(running)
        now = _when(now, until - served, len(running) + 1, dip)
        served = until
        yield Answer(now, now - began, started == total)


def in_order(answers: list[Answer], ahead: int) -> list[Answer]:
    """Return the answers as a writer gives them that flushes only every so many."""
    return [
        Answer(answers[min(i - i % ahead + ahead, len(answers)) - 1].at, *answer[1:])
        for i, answer in enumerate(answers)
    ]


def _when(now: float, tokens: float, running: int, dip: tuple[float, float]) -> float:
    """Return when each of the running requests will have so many tokens more."""
    edges = [edge for edge in (BURST, *dip) if edge > now]
    for edge in sorted(edges):
        speed = _speed(now, running, dip)
        if tokens <= speed * (edge - now):
            return now + tokens / speed
        tokens -= speed * (edge - now)
        now = edge
    return now + tokens / _speed(now, running, dip)


def _speed(now: float, running: int, dip: tuple[float, float]) -> float:
    """Return the tokens per second of each running request."""
    return min(MOST_SPEED, SPEED / running) * (4 / 3 if now < BURST else 0.5 if dip[0] <= now < dip[1] else 1.0)
