"""The container's health check against a real server, and against none."""

import socket
import threading
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from sglang_exporter.clock import FixedClock
from sglang_exporter.healthcheck import ask, healthcheck
from sglang_exporter.logs import Throttle
from sglang_exporter.web.address import Address
from sglang_exporter.web.message import Request, Response
from sglang_exporter.web.server import Server


def answer(request: Request) -> Response:
    if request.path == "/-/healthy":
        return Response.text(HTTPStatus.OK, "sglang-exporter is healthy")
    return Response.text(HTTPStatus.SERVICE_UNAVAILABLE, "not ready:\n reading \x1b server.log" + "x" * 1000)


@pytest.fixture
def address() -> Iterator[str]:
    server = Server(answer, [Address("127.0.0.1", 0)], Throttle(FixedClock()))
    server.start()
    yield f"http://127.0.0.1:{server.ports[0]}"
    server.close()


def test_healthy_is_0(address: str) -> None:
    url = f"{address}/-/healthy"
    assert ask(url) == (0, f"{url}: 200 sglang-exporter is healthy")


def test_command_prints_the_line_and_returns_the_code(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    url = f"{address}/-/healthy"
    assert healthcheck(url) == 0
    assert capsys.readouterr().out == f"{url}: 200 sglang-exporter is healthy\n"


def test_anything_but_200_is_1_with_the_reason_in_one_short_line(address: str) -> None:
    code, line = ask(f"{address}/-/ready")
    assert code == 1
    assert line.startswith(f"{address}/-/ready: 503 not ready: reading ")
    assert len(line) < 300
    assert line.isprintable()


def test_proxy_of_the_environment_is_not_asked(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    assert ask(f"{address}/-/healthy").code == 0


def test_nobody_there_is_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    code, line = ask(f"http://127.0.0.1:{port}/-/healthy")
    assert code == 1
    assert "Connection refused" in line


def test_silent_peer_is_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        code, line = ask(f"http://127.0.0.1:{silent.getsockname()[1]}/", timeout=0.05)
    assert (code, line[-9:]) == (1, "timed out")


def test_peer_that_speaks_no_http_is_1() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def hang_up() -> None:
            peer, _ = listener.accept()
            peer.close()

        thread = threading.Thread(target=hang_up)
        thread.start()
        assert ask(f"http://127.0.0.1:{listener.getsockname()[1]}/").code == 1
        thread.join()


@pytest.mark.parametrize("url", ["https://127.0.0.1/", "127.0.0.1:17461", "http://", "http://[::1", "http://a:b/"])
def test_url_that_cannot_be_asked_is_1_and_named(url: str) -> None:
    code, line = ask(url)
    assert code == 1
    assert line.startswith(f"{url}: ")
