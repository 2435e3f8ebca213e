"""A recording fed line by line, its clock in hand: what we show is what the server's own /metrics showed.

Both are set by the same call of SGLang's, and each scrape of the recording left an access line in the log, so the log
itself tells which batch line a scrape came after; from 0.5.23 on a scrape is answered a few lines before its access line.
"""

from collections import deque

import pytest

from support.recordings import lines, scrapes
from support.servers import LoggedServer

GAUGES: dict[str, tuple[str, dict[str, str]]] = {
    "num_running_reqs": ("running_requests", {}),
    "num_queue_reqs": ("queued_requests", {}),
    "token_usage": ("token_usage_ratio", {"pool": "kv"}),
    "gen_throughput": ("gen_throughput_tokens_per_second", {}),
}
ONE_RANK = ["0.4.6.post5-batch", "0.4.10.post2-batch", "0.4.10.post2-kill", "0.5.23-batch"]
LINES_BEFORE = 12  # batch lines that may have been printed while a scrape was being answered
Shown = dict[str, float | None]


def shown(server: LoggedServer) -> Shown:
    return {theirs: server.labelled(ours, labels) for theirs, (ours, labels) in GAUGES.items()}


def walk(recording: str) -> list[tuple[dict[str, float], list[Shown]]]:
    """Return, for each scrape, the server's gauges and ours after each of the last batch lines, newest last."""
    server = LoggedServer()
    recent: deque[Shown] = deque(maxlen=LINES_BEFORE)
    answered = scrapes(recording)
    compared = []
    for line in lines(recording, "server.log"):
        server.read(line)
        if " batch" in line:
            recent.append(shown(server))
        elif '"GET /metrics ' in line:
            gauges = {name: value for (name, rank), value in next(answered).gauges.items() if not rank}
            compared.append((gauges, list(recent)))
    assert next(answered, None) is None
    return compared


def of_the_same_line(gauges: dict[str, float], recent: list[Shown]) -> list[Shown]:
    """Return ours after those lines that print the throughput the server's gauge has."""
    return [ours for ours in recent if ours["gen_throughput"] == pytest.approx(gauges["gen_throughput"], abs=0.0051)]


def same(gauges: dict[str, float], ours: Shown) -> bool:
    return all(ours[name] == pytest.approx(value, abs=0.0051) for name, value in gauges.items())


@pytest.mark.parametrize("recording", ONE_RANK)
def test_every_gauge_set_by_the_same_line_is_the_same(recording: str) -> None:
    busy = [(gauges, recent) for gauges, recent in walk(recording) if gauges and gauges["gen_throughput"]]
    known = [(gauges, candidates) for gauges, recent in busy if (candidates := of_the_same_line(gauges, recent))]
    differing = [gauges for gauges, candidates in known if not any(same(gauges, ours) for ours in candidates)]
    print(f"{recording}: {len(known)} of {len(busy)} scrapes compared")
    assert not differing
    assert len(known) > 100
    assert len(known) > 0.97 * len(busy)
