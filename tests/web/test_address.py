"""Addresses to listen on, as flags spell them."""

import socket

import pytest

from sglang_exporter.web.address import Address, parse_address, resolve


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        (":17461", "", 17461),
        ("127.0.0.1:0", "127.0.0.1", 0),
        ("localhost:9000", "localhost", 9000),
        ("[::1]:17461", "::1", 17461),
        ("[::]:65535", "::", 65535),
    ],
)
def test_address_is_read_and_written_alike(text: str, host: str, port: int) -> None:
    address = parse_address(text)
    assert address == Address(host, port)
    assert str(address) == text


@pytest.mark.parametrize(
    "text", ["", "17461", "localhost", "::1:17461", "[::1]", "host:", ":http", ":-1", "a:1:2", ":1 "]
)
def test_what_is_no_address_is_refused_by_name(text: str) -> None:
    with pytest.raises(
        ValueError, match=r"is no address to listen on: want HOST:PORT, \[IPv6\]:PORT or :PORT"
    ) as error:
        parse_address(text)
    assert repr(text) in str(error.value)


def test_port_over_the_last_is_refused() -> None:
    with pytest.raises(ValueError, match="':65536' is no address to listen on: ports go up to 65535"):
        parse_address(":65536")


def test_no_host_is_every_interface_of_both_families() -> None:
    family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
    assert resolve(Address("", 80)) == (family, ("", 80))


@pytest.mark.parametrize(("host", "family"), [("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)])
def test_host_tells_the_family(host: str, family: socket.AddressFamily) -> None:
    assert resolve(Address(host, 80)) == (family, (host, 80))
