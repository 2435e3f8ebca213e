"""Where to listen: `HOST:PORT`, `[IPv6]:PORT`, or `:PORT` for every interface."""

import re
import socket
from typing import NamedTuple

DEFAULT_ADDRESS = ":17461"
_ADDRESS = re.compile(r"(?:\[(?P<v6>[^\[\]]+)\]|(?P<host>[^:\[\]]*)):(?P<port>[0-9]{1,5})")
_LAST_PORT = 65535


class Address(NamedTuple):
    """A host, empty for every interface, and a port, 0 for any free one."""

    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


def parse_address(text: str) -> Address:
    """Return the address that `text` names; ValueError says what is wrong with it."""
    found = _ADDRESS.fullmatch(text)
    if not found:
        raise ValueError(f"{text!r} is no address to listen on: want HOST:PORT, [IPv6]:PORT or :PORT")
    port = int(found["port"])
    if port > _LAST_PORT:
        raise ValueError(f"{text!r} is no address to listen on: ports go up to {_LAST_PORT}")
    return Address(found["v6"] or found["host"] or "", port)


def resolve(address: Address) -> tuple[socket.AddressFamily, tuple[str, int]]:
    """Return family and name to bind to. Every interface is IPv6, IPv4 mapped into it, where the host can do that."""
    if not address.host:
        family = socket.AF_INET6 if socket.has_dualstack_ipv6() else socket.AF_INET
        return family, ("", address.port)
    family, _, _, _, name = socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM)[0]
    return family, (str(name[0]), address.port)
