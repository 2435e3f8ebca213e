"""The web configuration in force: read again, with its certificates, when one of the files has changed."""

import logging
import ssl
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sglang_exporter.logs import Throttle, fields
from sglang_exporter.web.passwords import Passwords
from sglang_exporter.web.tls import TLSError, make_context
from sglang_exporter.web.web_config import load_web_config
from sglang_exporter.yaml_file import ConfigError

_LOG = logging.getLogger(__name__)


_Look = tuple[int, int, int] | None


class Rules(NamedTuple):
    """How a peer is met: over TLS or not, with a password or without, and the headers that it gets."""

    tls: ssl.SSLContext | None = None
    passwords: Passwords | None = None
    headers: Mapping[str, str] = {}


class Guard:
    """Of a web configuration in `path`; ConfigError when it is bad from the start.

    One that turns bad later, as while certificate and key are replaced one after the other, leaves the last good one in
    force, and that is said. It is looked at as each connection begins.
    """

    def __init__(self, path: Path, throttle: Throttle) -> None:
        self._path = path
        self._throttle = throttle
        self._lock = threading.Lock()
        self._seen: dict[Path, _Look] = {}
        self._rules = self._load()

    def rules(self) -> Rules:
        """Return the rules for a connection that begins now."""
        with self._lock:
            if not self._seen or any(_look(file) != seen for file, seen in self._seen.items()):
                self._reload()
            return self._rules

    def _reload(self) -> None:
        try:
            self._rules = self._load()
        except ConfigError as error:
            self._seen = {}  # so that the next connection tries again
            trouble = "the web configuration is bad, the last good one stays in force"
            self._throttle.warn(_LOG, "web configuration", trouble, reason=error)
        else:
            _LOG.info("the web configuration was loaded anew", extra=fields(file=self._path))

    def _load(self) -> Rules:
        seen = {self._path: _look(self._path)}
        config = load_web_config(self._path)
        tls = config.tls(self._path.parent)
        seen |= {file: _look(file) for file in (tls.files if tls else ())}
        try:
            context = make_context(tls) if tls else None
        except TLSError as error:
            raise ConfigError(f"{self._path}: tls_server_config.{error.key}: {error}") from error
        self._seen = seen
        users = config.basic_auth_users
        return Rules(context, Passwords(users) if isinstance(users, dict) else None, config.http_server_config.headers)


def _look(file: Path) -> _Look:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_size, status.st_mtime_ns
