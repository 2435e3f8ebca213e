"""Who takes over the port of an exporter that ends can take over the name of its local health check too."""

import socket

import pytest

from sglang_exporter.clock import FixedClock
from sglang_exporter.logs import Throttle
from sglang_exporter.web.address import parse_address
from sglang_exporter.web.listener import Listener
from sglang_exporter.web.local import local_name
from sglang_exporter.web.message import Request, Response
from sglang_exporter.web.server import Server


def test_the_name_is_free_before_the_port_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def answer(_: Request) -> Response:
        raise AssertionError

    server = Server(answer, [parse_address("127.0.0.1:0")], Throttle(FixedClock(0.0)))
    server.start()
    (port,) = server.ports
    closed: list[Listener] = []

    def close(listener: Listener) -> None:
        with socket.socket(socket.AF_UNIX) as successor:
            successor.bind(local_name(port))
        closed.append(listener)
        listener.socket.close()

    monkeypatch.setattr(Listener, "server_close", close)
    server.close()
    assert closed
