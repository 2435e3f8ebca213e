"""The container's HEALTHCHECK: asks a running exporter whether it is well."""

from http import HTTPStatus
from http.client import HTTPConnection, HTTPException
from typing import NamedTuple
from urllib.parse import urlsplit

DEFAULT_URL = "http://127.0.0.1:17461/-/healthy"
_LONGEST_REASON = 200


class Verdict(NamedTuple):
    """The exit code, 0 for healthy and 1 for anything else, and a line that says why."""

    code: int
    line: str


def healthcheck(url: str = DEFAULT_URL) -> int:
    """Ask `url`, print the answer in one line, and return the exit code."""
    code, line = ask(url)
    print(line)  # noqa: T201 - what the command is for
    return code


def ask(url: str, timeout: float = 3.0) -> Verdict:
    """Ask `url`, never through a proxy; a peer that is silent for `timeout` seconds is not healthy."""
    try:
        status, reason = _get(url, timeout)
    except (OSError, HTTPException, ValueError) as error:
        return Verdict(1, f"{url}: {error or type(error).__name__}")
    return Verdict(0 if status == HTTPStatus.OK else 1, f"{url}: {status} {reason}")


def _get(url: str, timeout: float) -> tuple[int, str]:
    parts = urlsplit(url)
    if parts.scheme != "http" or not parts.hostname:
        raise ValueError("want an address like " + DEFAULT_URL)
    connection = HTTPConnection(parts.hostname, parts.port or 80, timeout=timeout)
    try:
        connection.request("GET", parts.path or "/")
        response = connection.getresponse()
        text = response.read(_LONGEST_REASON).decode("utf-8", "replace")
    finally:
        connection.close()
    return response.status, " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
