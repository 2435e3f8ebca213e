"""The container's HEALTHCHECK: asks an exporter on this machine whether it is well, whatever HTTP demands of a peer."""

import os
import socket
from http import HTTPStatus
from typing import NamedTuple

from sglang_exporter.web.address import Address
from sglang_exporter.web.local import LONGEST_LINE, ROOT, local_name, user_of


class Verdict(NamedTuple):
    """The exit code, 0 for healthy and 1 for anything else, and a line that says why."""

    code: int
    line: str


def healthcheck(address: Address) -> int:
    """Ask the exporter that listens on `address`, print the answer in one line, and return the exit code."""
    code, line = ask(address.port)
    print(line)  # noqa: T201 - what the command is for
    return code


def ask(port: int, timeout: float = 3.0) -> Verdict:
    """Ask the exporter on a TCP port; one that says nothing for `timeout` seconds is not healthy."""
    try:
        status, _, text = _line(port, timeout).partition(" ")
    except OSError as error:
        return Verdict(1, f"port {port}: {error.strerror or error}")
    return Verdict(0 if status == str(HTTPStatus.OK.value) else 1, f"port {port}: {text or 'no answer'}")


def _line(port: int, timeout: float) -> str:
    """Return the line that the exporter answers; root believes whoever has its name, others themselves alone."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(timeout)
        try:
            connection.connect(local_name(port))
        except ConnectionRefusedError:
            raise ConnectionRefusedError("no exporter listens on it here") from None
        if os.geteuid() not in (ROOT, user_of(connection)):
            raise PermissionError("another user answers")
        with connection.makefile("rb") as stream:
            text = stream.read(LONGEST_LINE).decode("utf-8", "replace")
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
