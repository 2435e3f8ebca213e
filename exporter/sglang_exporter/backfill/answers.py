"""When requests were answered, as logs tell it: for output files whose records have no times."""

from bisect import bisect_left
from collections.abc import Iterable
from itertools import accumulate
from math import ceil
from typing import Literal, NamedTuple

from sglang_exporter.backfill.dating import Written
from sglang_exporter.serverlog.decoder import LogDecoder
from sglang_exporter.serverlog.events import Event
from sglang_exporter.serverlog.grammar import GENERATING_HANDLERS

_FINISHED = frozenset(("request_finished", "json.request.finished"))
_MAY_ANSWER = (b'"POST ', b"Finish: ", b"request.finished")

Told = Literal["access lines", "lines of finished requests"]


class Answers(NamedTuple):
    """The times of answers in order, in seconds since the epoch, how many there were until each, and what tells."""

    times: list[float]
    until: list[int]
    told: Told

    @property
    def total(self) -> int:
        """How many answers there are."""
        return self.until[-1] if self.until else 0

    def at(self, share: float) -> float:
        """Return when a share of the answers, from 0 to 1, had been given."""
        wanted = max(1, ceil(share * self.total - 1e-9))
        return self.times[min(bisect_left(self.until, wanted), len(self.times) - 1)]


def answers(logs: Iterable[Iterable[Written]]) -> Answers:
    """Return the answers that logs tell of, by lines of finished requests where these are more than access lines."""
    counts: dict[Told, dict[float, int]] = {"access lines": {}, "lines of finished requests": {}}
    for log in logs:
        decoder = LogDecoder({}, {})
        for at, line in log:
            if any(word in line for word in _MAY_ANSWER):
                for told in _answers_in(decoder, line):
                    counts[told][at] = counts[told].get(at, 0) + 1
    told = max(counts, key=lambda told: sum(counts[told].values()))
    times = sorted(counts[told])
    return Answers(times, list(accumulate(counts[told][at] for at in times)), told)


def _answers_in(decoder: LogDecoder, line: bytes) -> Iterable[Told]:
    for event in decoder.decode(line):
        if event.kind in _FINISHED:
            yield "lines of finished requests"
        elif event.kind == "access" and _generated(event):
            yield "access lines"


def _generated(event: Event) -> bool:
    """Tell whether an access line is of a request that was answered well, with what was generated for it."""
    method, path, status = (str(event.fields[label]) for label in ("method", "path", "status"))
    return method == "POST" and path in GENERATING_HANDLERS and status.startswith("2")
