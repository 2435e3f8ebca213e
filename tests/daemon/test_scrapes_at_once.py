"""Fifty scrapes at once of 8,000 series, while a log grows: who is within the limit gets a whole page of one moment."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import closing
from http import HTTPStatus
from http.client import HTTPConnection
from pathlib import Path

import pytest

from sglang_exporter.web.service import DEFAULT_LIMITS
from support.exporter import Exporter, parse, pick
from support.servers import access, decode, prefill, start

SCRAPES = 50
SERVERS = 130
SERIES = 8_000
TOKENS_A_LINE = 50
GROWING = b"node000"


def lines() -> Iterator[str]:
    """Yield a log whose every `prefill` line is of one sequence and as many tokens."""
    yield start("10:00:00")
    yield prefill("10:00:01", new=TOKENS_A_LINE)
    yield decode("10:00:02")
    yield access("10:00:03", "/v1/chat/completions")


@pytest.fixture(name="exporter")
def _exporter(tmp_path: Path) -> Iterator[Exporter]:
    for number in range(SERVERS):
        (tmp_path / f"node{number:03}.log").write_text("".join(f"{line}\n" for line in lines()))
    with Exporter(tmp_path, "--log", f"{tmp_path}/{{server}}.log", "--stale-after", "0") as exporter:
        yield exporter


def at_once(exporter: Exporter, scrapes: int, log: Path) -> list[tuple[int, bytes]]:
    """Return status and body of so many scrapes, all asked for before the first is answered; the log grows until the last is."""
    host = exporter.url.removeprefix("http://")
    connections = [HTTPConnection(host, timeout=60) for _ in range(scrapes)]
    with exporter.frozen():
        for connection in connections:
            connection.request("GET", "/metrics")
    with ThreadPoolExecutor(scrapes) as pool, log.open("a", buffering=1) as file:
        answers = [pool.submit(answer, connection) for connection in connections]
        while wait(answers, timeout=0.01).not_done:
            file.write(prefill("10:00:04", new=TOKENS_A_LINE) + "\n")
    return [each.result() for each in answers]


def answer(connection: HTTPConnection) -> tuple[int, bytes]:
    with closing(connection):
        response = connection.getresponse()
        return response.status, response.read()  # fails where it is shorter than its Content-Length


def series(page: bytes) -> set[bytes]:
    return {line.rpartition(b" ")[0] for line in page.splitlines() if not line.startswith(b"#")}


def moment(page: bytes) -> float:
    """Return how many lines of the growing log a page knows; fail if its parts, each of a collector, do not agree."""
    said = parse(b"\n".join(line for line in page.splitlines() if GROWING in line).decode())
    known = sum(value for (name, _), value in said.items() if name == "sglang_exporter_lines_total")
    prefills = known - len([*lines()]) + 1
    assert pick(said, "sglang_server_prefill_tokens_total") == TOKENS_A_LINE * prefills
    assert pick(said, "sglang_server_prefill_sequences_total") == prefills
    return known


@pytest.mark.slow
def test_none_within_the_limit_fails(exporter: Exporter, tmp_path: Path) -> None:
    before = exporter.text().encode()
    assert len(series(before)) >= SERIES
    moments = {moment(before)}
    for scrapes in (DEFAULT_LIMITS.requests, SCRAPES):
        began = time.monotonic()
        answers = at_once(exporter, scrapes, tmp_path / f"{GROWING.decode()}.log")
        took = time.monotonic() - began
        pages = [body for status, body in answers if status == HTTPStatus.OK]
        refused = [each for each in answers if each[0] != HTTPStatus.OK]
        assert len(pages) >= DEFAULT_LIMITS.requests
        assert {*refused} <= {(HTTPStatus.SERVICE_UNAVAILABLE, b"too many requests at once\n")}
        assert all(series(page) == series(before) for page in pages)
        moments |= {*map(moment, pages)}
        print(f"{scrapes} at once: {len(pages)} whole, {len(refused)} refused, {took:.1f} s")
    assert len(moments) > 1, "the log did not grow meanwhile"
    assert series(exporter.text().encode()) == series(before)
