"""The pages that the exporter serves: a request in, a response out."""

import gzip
import re
from collections.abc import Callable
from functools import lru_cache
from http import HTTPStatus

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from sglang_exporter.overview.frame import POLICY, SCRIPT
from sglang_exporter.web.encoding import wants_gzip
from sglang_exporter.web.format import Format
from sglang_exporter.web.message import Request, Response

_METHODS = ("GET", "HEAD")
_GZIP_LEVEL = 1  # a page of 200 servers takes 1.4 ms and a 17th of its bytes; by 6, 4.2 ms and a 21st
_FORMATS = 2  # that are kept, each with its lines: few ask in more
_SCRIPT_HEADERS = {
    "Content-Type": "text/javascript; charset=utf-8",
    "Cache-Control": "no-cache",
    "X-Content-Type-Options": "nosniff",
}
_VERSION = re.compile(r";\s*version=([^;]*)")
_VERSIONS = (None, "0.0.1", "0.0.4", "1.0.0")

Check = Callable[[], str | None]
"""Returns None when all is well, else the reason why not."""


class App:
    """The routes. What the checks answer is told to the peer.

    `registry` is collected at each request of `/metrics`, after `freshen` has had the files looked at.
    """

    def __init__(
        self,
        registry: CollectorRegistry,
        *,
        freshen: Callable[[], None],
        healthy: Check,
        ready: Check,
        overview: Callable[[], str],
    ) -> None:
        self._freshen = freshen
        self._registry = registry
        self._overview = overview
        self._formats = lru_cache(_FORMATS)(_format)
        self._routes: dict[str, Callable[[Request], Response]] = {
            "/": self._page,
            "/page.js": lambda _: Response(HTTPStatus.OK, _SCRIPT_HEADERS, SCRIPT),
            "/metrics": self._metrics,
            "/-/healthy": lambda _: _verdict("healthy", healthy()),
            "/-/ready": lambda _: _verdict("ready", ready()),
            "/favicon.ico": lambda _: Response(HTTPStatus.NO_CONTENT),
        }

    def __call__(self, request: Request) -> Response:
        """Answer a request; HEAD like GET."""
        route = self._routes.get(request.path)
        if route is None:
            return Response.text(HTTPStatus.NOT_FOUND, "not found")
        if request.method not in _METHODS:
            return Response.text(HTTPStatus.METHOD_NOT_ALLOWED, "method not allowed", {"Allow": ", ".join(_METHODS)})
        return route(request)

    def _page(self, request: Request) -> Response:
        headers = {
            "Content-Type": "text/html; charset=utf-8",
            "Content-Security-Policy": POLICY,
            "Cache-Control": "no-store",
        }
        return _maybe_compressed(request, headers, self._overview().encode())

    def _metrics(self, request: Request) -> Response:
        form, content_type = self._formats(request.headers.get("accept", ""))
        self._freshen()
        return _maybe_compressed(request, {"Content-Type": content_type}, form.page(self._registry))


def _format(accept: str) -> tuple[Format, str]:
    """Return the format that is asked for, and its content type."""
    encode, content_type = choose_encoder(_released_formats(accept))
    return Format(encode), content_type


def _maybe_compressed(request: Request, headers: dict[str, str], body: bytes) -> Response:
    if wants_gzip(request.headers.get("accept-encoding", "")):
        headers["Content-Encoding"] = "gzip"
        body = gzip.compress(body, _GZIP_LEVEL, mtime=0)
    return Response(HTTPStatus.OK, headers, body)


def _verdict(what: str, reason: str | None) -> Response:
    if reason is None:
        return Response.text(HTTPStatus.OK, f"sglang-exporter is {what}")
    return Response.text(HTTPStatus.SERVICE_UNAVAILABLE, f"sglang-exporter is not {what}: {reason}")


def _released_formats(accept: str) -> str:
    """Return `accept` without versions that prometheus_client fails on or echoes falsely, as OpenMetrics 2."""
    return ",".join(entry for entry in accept.split(",") if _asked_version(entry) in _VERSIONS)


def _asked_version(entry: str) -> str | None:
    found = _VERSION.search(entry)
    return found[1].strip() if found else None
