"""Many peers at once that say nothing, or a byte now and then: a scrape answers all the while, and each is left in time.

`PEERS=200 pytest -s tests/web/test_slow_peers.py` takes 200 of each kind, and says how long a scrape took among them.
"""

import os
import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from statistics import median

import pytest

from sglang_exporter.web.service import Limits
from support.certificates import Authority
from support.serving import PATIENCE, ask, serving

PEERS = int(os.environ.get("PEERS", "40"))
SCRAPES = 20
LIMITS = Limits(connections=4 * PEERS + 10, handshake=4.0, head=4.0, total=8.0)


@pytest.fixture(name="authority")
def _authority(tmp_path: Path) -> Authority:
    authority = Authority(tmp_path)
    pair = authority.issue("server")
    text = f"tls_server_config: {{cert_file: {pair.certificate}, key_file: {pair.key}}}\n"
    (tmp_path / "web.yml").write_text(text)
    return authority


@pytest.fixture(name="port")
def _port(authority: Authority) -> Iterator[int]:
    with serving(authority.file.parent / "web.yml", limits=LIMITS) as port:
        yield port


def hello(tls: ssl.SSLContext) -> bytes:
    """Return what a client says first."""
    outgoing = ssl.MemoryBIO()
    with suppress(ssl.SSLWantReadError):
        tls.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="localhost").do_handshake()
    return outgoing.read()


class Dripping:
    """A peer that says a byte whenever it is asked to, until it is left."""

    def __init__(self, connection: socket.socket, send: Callable[[bytes], object], words: bytes) -> None:
        self._connection = connection
        self._send = send
        self._words = iter(words)

    def left(self) -> bool:
        """Say the next byte; tell whether nobody listens any more."""
        try:
            self._send(bytes([next(self._words)]))
            self._connection.settimeout(0)
            return not self._connection.recv(1)
        except (BlockingIOError, ssl.SSLWantReadError):
            return False
        except OSError:
            return True


def dripping(port: int, authority: Authority, stack: ExitStack) -> Iterator[Dripping]:
    """Yield peers that are slow in the handshake, and ones that are slow in the head of their request."""
    client = authority.client()
    words = hello(client)
    for _ in range(PEERS):
        plain = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
        yield Dripping(plain, plain.sendall, words * 100)
        peer = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
        tls = stack.enter_context(client.wrap_socket(peer, server_hostname="localhost"))
        yield Dripping(tls, tls.sendall, b"GET / HTTP/1.1\r\nA: " + b"a" * 10_000)


def test_scrapes_answer_among_silent_and_slow_peers(port: int, authority: Authority) -> None:
    client = authority.client()
    with ExitStack() as stack:
        for _ in range(PEERS):
            stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
        slow = list(dripping(port, authority, stack))
        seconds = []
        for _ in range(SCRAPES):
            slow = [peer for peer in slow if not peer.left()]
            began = time.perf_counter()
            assert ask(port, "/metrics", client)[0] == 200
            seconds.append(time.perf_counter() - began)
        print(
            f"{PEERS} silent, {2 * PEERS} slow: {1000 * median(seconds):.0f} ms, at most {1000 * max(seconds):.0f} ms"
        )


def test_each_is_left_in_time_however_it_drips(port: int, authority: Authority) -> None:
    with ExitStack() as stack:
        silent = [stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE)) for _ in range(PEERS)]
        slow = list(dripping(port, authority, stack))
        end = time.monotonic() + PATIENCE
        while slow and time.monotonic() < end:
            slow = [peer for peer in slow if not peer.left()]
        assert not slow
        assert all(not peer.recv(1) for peer in silent)
