"""The server on real loopback sockets, with peers that behave and peers that do not."""

import http.client
import logging
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from http import HTTPStatus

import pytest

from sglang_exporter.clock import FixedClock
from sglang_exporter.logs import Throttle
from sglang_exporter.web.address import parse_address
from sglang_exporter.web.message import Application, Request, Response
from sglang_exporter.web.server import Server
from sglang_exporter.web.service import Limits

PATIENCE = 5.0
Start = Callable[..., Server]


@pytest.fixture
def start() -> Iterator[Start]:
    """Start servers, and close them after the test."""
    with ExitStack() as stack:

        def started(app: Application, *addresses: str, limits: Limits = Limits(head=PATIENCE)) -> Server:  # noqa: B008 - immutable
            parsed = [parse_address(text) for text in addresses or ("127.0.0.1:0",)]
            server = Server(app, parsed, Throttle(FixedClock()), limits)
            server.start()
            stack.callback(server.close)
            return server

        yield started


def echo(request: Request) -> Response:
    return Response.text(
        HTTPStatus.OK, f"{request.method} {request.path}", {"X-Asked": request.headers.get("x-ask", "")}
    )


def fail(_: Request) -> Response:
    raise RuntimeError("secret path /srv/data")


def ask(port: int, path: str = "/", method: str = "GET", body: bytes | None = None) -> tuple[int, bytes]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)) as connection:
        connection.request(method, path, body)
        response = connection.getresponse()
        return response.status, response.read()


def say(port: int, request: bytes) -> bytes:
    """Send bytes as they are, and return all that comes back."""
    with socket.create_connection(("127.0.0.1", port), PATIENCE) as peer:
        peer.sendall(request)
        with peer.makefile("rb") as stream:
            return stream.read()


def test_every_address_answers_on_a_port_of_its_own(start: Start) -> None:
    server = start(echo, "127.0.0.1:0", "127.0.0.1:0", ":0")
    assert len(set(server.ports)) == 3
    for port in server.ports:
        assert ask(port, "/x") == (200, b"GET /x\n")


@pytest.mark.skipif(not socket.has_dualstack_ipv6(), reason="the host has no IPv6")
@pytest.mark.parametrize("address", [":0", "[::1]:0"])
def test_ipv6_answers(start: Start, address: str) -> None:
    (port,) = start(echo, address).ports
    with socket.create_connection(("::1", port), PATIENCE) as peer:
        peer.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert peer.makefile("rb").read().endswith(b"GET /\n")


def test_query_is_no_part_of_the_path_and_headers_are_in_lower_case(start: Start) -> None:
    reply = say(start(echo).ports[0], b"GET /x?name[]=y HTTP/1.1\r\nX-Ask: Z\r\n\r\n")
    assert b"\r\nX-Asked: Z\r\n" in reply
    assert reply.endswith(b"\r\n\r\nGET /x\n")


def test_head_has_the_length_and_no_body(start: Start) -> None:
    head, _, body = say(start(echo).ports[0], b"HEAD /x HTTP/1.1\r\n\r\n").partition(b"\r\n\r\n")
    assert b"\r\nContent-Length: 8" in head
    assert body == b""


def test_no_content_has_no_length(start: Start) -> None:
    reply = say(start(lambda _: Response(HTTPStatus.NO_CONTENT)).ports[0], b"GET / HTTP/1.1\r\n\r\n")
    assert reply.startswith(b"HTTP/1.0 204 ")
    assert b"Content-Length" not in reply


def test_nothing_tells_the_python_behind_it(start: Start) -> None:
    reply = say(start(echo).ports[0], b"GET / HTTP/1.1\r\n\r\n")
    assert b"\r\nServer: sglang-exporter\r\n" in reply
    assert b"ython" not in reply


def test_body_nobody_wants_does_not_cost_the_response(start: Start) -> None:
    assert ask(start(echo).ports[0], "/x", "POST", b"x" * 60_000) == (200, b"POST /x\n")


@pytest.mark.parametrize(
    ("request_bytes", "status"),
    [
        (b"hello\r\n\r\n", 400),
        (b"GET / HTTP/x\r\n\r\n", 400),
        (b"GET / HTTP/2.0\r\n\r\n", 505),
        (b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n", 414),
        (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 200 + b"\r\n", 431),
        (b"GET / HTTP/1.1\r\nA: " + b"x" * 70_000 + b"\r\n\r\n", 431),
    ],
)
def test_what_is_no_http_is_refused_without_being_quoted(start: Start, request_bytes: bytes, status: int) -> None:
    reply = say(start(echo).ports[0], request_bytes)
    assert reply.startswith(b"HTTP/1.0 %d " % status)
    assert b"hello" not in reply
    assert b"<" not in reply


def test_failing_page_is_an_error_without_its_reason(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    (port,) = start(fail).ports
    assert [ask(port), ask(port)] == [(500, b"internal error\n")] * 2
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == ["page failed"]


def test_silent_peers_hold_up_nobody(start: Start) -> None:
    (port,) = start(echo, limits=Limits(requests=1)).ports
    with ExitStack() as silent:
        for _ in range(20):
            silent.enter_context(socket.create_connection(("127.0.0.1", port)))
        assert ask(port)[0] == 200


def test_silent_peer_is_left_after_the_timeout(start: Start) -> None:
    assert say(start(echo, limits=Limits(head=0.05)).ports[0], b"GET / HTT") == b""


def test_request_over_the_limit_is_told_so(start: Start) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(_: Request) -> Response:
        asked.set()
        go_on.wait(PATIENCE)
        return Response.text(HTTPStatus.OK, "done")

    (port,) = start(slow, limits=Limits(requests=1)).ports
    replies: list[tuple[int, bytes]] = []
    first = threading.Thread(target=lambda: replies.append(ask(port)))
    first.start()
    assert asked.wait(PATIENCE)
    assert ask(port) == (503, b"too many requests at once\n")
    go_on.set()
    first.join(PATIENCE)
    assert replies == [(200, b"done\n")]
    assert ask(port)[0] == 200


def test_connection_over_the_limit_is_closed(start: Start) -> None:
    (port,) = start(echo, limits=Limits(connections=1)).ports
    with (
        socket.create_connection(("127.0.0.1", port)),
        socket.create_connection(("127.0.0.1", port), PATIENCE) as second,
    ):
        assert second.recv(1) == b""


def test_taken_port_is_named_and_nothing_stays_bound(start: Start) -> None:
    (taken,) = start(echo).ports
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(OSError, match=f"cannot listen on 127.0.0.1:{taken}: Address already in use"):
        start(echo, f"127.0.0.1:{port}", f"127.0.0.1:{taken}")
    socket.create_server(("127.0.0.1", port)).close()


def test_unknown_host_is_named(start: Start) -> None:
    with pytest.raises(OSError, match=r"cannot listen on nowhere\.invalid:1: "):
        start(echo, "nowhere.invalid:1")


def test_close_leaves_silent_peers_and_finishes_the_response_under_way() -> None:
    asked, go_on = threading.Event(), threading.Event()

    def slow(_: Request) -> Response:
        asked.set()
        go_on.wait(PATIENCE)
        return Response.text(HTTPStatus.OK, "done")

    server = Server(slow, [parse_address("127.0.0.1:0")], Throttle(FixedClock()))
    server.start()
    (port,) = server.ports
    with (
        socket.create_connection(("127.0.0.1", port), PATIENCE) as silent,
        socket.create_connection(("127.0.0.1", port), PATIENCE) as peer,
    ):
        peer.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert asked.wait(PATIENCE)
        closer = threading.Thread(target=server.close)
        closer.start()
        assert silent.recv(1) == b""
        go_on.set()
        closer.join(1.0)
        assert not closer.is_alive()
        assert peer.makefile("rb").read().endswith(b"done\n")
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", port))


def test_close_does_not_wait_for_a_page_that_hangs() -> None:
    asked, go_on = threading.Event(), threading.Event()

    def hang(_: Request) -> Response:
        asked.set()
        go_on.wait(PATIENCE)
        return Response.text(HTTPStatus.OK, "late")

    server = Server(hang, [parse_address("127.0.0.1:0")], Throttle(FixedClock()))
    server.start()
    with socket.create_connection(("127.0.0.1", server.ports[0])) as peer:
        peer.sendall(b"GET / HTTP/1.0\r\n\r\n")
        assert asked.wait(PATIENCE)
        closer = threading.Thread(target=server.close)
        closer.start()
        closer.join(1.0)
        assert not closer.is_alive()
        go_on.set()


def test_access_log_is_for_debugging(start: Start, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "sglang_exporter")
    ask(start(echo).ports[0], "/x")
    levels = {record.getMessage(): record.levelno for record in caplog.records}
    assert levels == {"listening": logging.INFO, "request": logging.DEBUG}
