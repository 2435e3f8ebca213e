"""The local health check between a server and the command, in one process and with peers that are not who they should be."""

import os
import socket
import struct
from collections.abc import Iterator
from http import HTTPStatus

import pytest

from sglang_exporter.cli import main
from sglang_exporter.clock import FixedClock
from sglang_exporter.healthcheck import ask
from sglang_exporter.logs import Throttle
from sglang_exporter.web.address import parse_address
from sglang_exporter.web.local import local_name
from sglang_exporter.web.message import Request, Response
from sglang_exporter.web.server import Server
from support.prometheus import free_port
from support.serving import serving

HEALTHY = "sglang-exporter is healthy"


def healthy(request: Request) -> Response:
    assert (request.method, request.path) == ("GET", "/-/healthy")
    return Response.text(HTTPStatus.OK, HEALTHY)


def unhealthy(_: Request) -> Response:
    return Response.text(HTTPStatus.SERVICE_UNAVAILABLE, "not healthy:\n the loop \x1b is stuck" + "x" * 100_000)


def failing(_: Request) -> Response:
    raise RuntimeError("secret path /srv/data")


@pytest.fixture(name="port")
def _port() -> Iterator[int]:
    with serving(app=healthy) as port:
        yield port


@pytest.fixture(name="impostor")
def _impostor() -> Iterator[socket.socket]:
    """Give a socket that has the name of a port's exporter, and says nothing."""
    with socket.socket(socket.AF_UNIX) as impostor:
        impostor.bind(local_name(free_port()))
        impostor.listen(1)
        yield impostor


def port_of(impostor: socket.socket) -> int:
    return int(impostor.getsockname().decode().partition(":")[2])


def test_healthy_is_0(port: int) -> None:
    assert ask(port) == (0, f"port {port}: {HEALTHY}")


@pytest.mark.parametrize("host", ["", "127.0.0.1", "[::1]"])
def test_the_command_takes_an_address_of_serve_and_prints_the_line(
    port: int, host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["healthcheck", "--web.listen-address", f"{host}:{port}"]) == 0
    assert capsys.readouterr().out == f"port {port}: {HEALTHY}\n"


def test_anything_but_200_is_1_with_the_reason_in_one_short_line() -> None:
    with serving(app=unhealthy) as port:
        code, line = ask(port)
    assert code == 1
    assert line.startswith(f"port {port}: not healthy: the loop is stuckxxx")
    assert len(line) < 320
    assert line.isprintable()


def test_a_fault_of_the_check_is_1_and_the_server_lives_on() -> None:
    with serving(app=failing) as port:
        assert [ask(port), ask(port)] == [(1, f"port {port}: internal error")] * 2


def test_each_port_of_a_server_has_one_for_all_its_addresses() -> None:
    port = free_port()
    addresses = [parse_address(text) for text in (f"127.0.0.1:{port}", f"127.0.0.2:{port}", "127.0.0.1:0")]
    server = Server(healthy, addresses, Throttle(FixedClock()))
    server.start()
    ports = sorted(set(server.ports))
    assert [ask(each).code for each in ports] == [0, 0]
    server.close()
    assert [ask(each).code for each in ports] == [1, 1]


def test_nobody_there_is_1() -> None:
    port = free_port()
    assert ask(port) == (1, f"port {port}: no exporter listens on it here")


def test_a_silent_one_is_1(impostor: socket.socket) -> None:
    port = port_of(impostor)
    assert ask(port, timeout=0.05) == (1, f"port {port}: timed out")


def test_one_that_is_silent_for_so_long_that_no_more_can_wait_for_it_is_1(impostor: socket.socket) -> None:
    port = port_of(impostor)
    assert {ask(port, timeout=0.01).code for _ in range(4)} == {1}


def test_a_peer_that_asks_and_goes_costs_nothing(port: int) -> None:
    for _ in range(300):
        with socket.socket(socket.AF_UNIX) as peer:
            peer.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            peer.connect(local_name(port))
    assert ask(port).code == 0


def test_a_name_that_is_taken_costs_the_health_check_only(
    impostor: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    server = Server(healthy, [parse_address(f"127.0.0.1:{port_of(impostor)}")], Throttle(FixedClock()))
    server.start()
    server.close()
    assert "`healthcheck` cannot be answered" in [record.getMessage() for record in caplog.records]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be somebody else")
def test_another_user_is_told_nothing_and_is_not_believed(port: int, impostor: socket.socket) -> None:
    process = os.fork()
    if not process:  # the child, which must not come back into pytest
        os.setuid(65532)
        wanted = [(1, f"port {each}: another user answers") for each in (port, port_of(impostor))]
        with socket.socket(socket.AF_UNIX) as peer:
            peer.connect(local_name(port))
            told = peer.recv(100)
        os._exit([ask(port), ask(port_of(impostor))] != wanted or told != b"")
    assert os.waitpid(process, 0)[1] == 0
