"""A request and its response, free of sockets."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Self


@dataclass(frozen=True)
class Request:
    """What a peer asked for; `path` is without the query and as sent, header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    """What it gets. `Content-Length` is the server's business, and so is sending no body to HEAD."""

    status: HTTPStatus
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""

    @classmethod
    def text(cls, status: HTTPStatus, text: str, headers: Mapping[str, str] | None = None) -> Self:
        """Return a line of plain text."""
        return cls(status, {"Content-Type": "text/plain; charset=utf-8", **(headers or {})}, f"{text}\n".encode())


Application = Callable[[Request], Response]
