"""The file of `--web.config.file`, in the schema of Prometheus' exporter-toolkit; what of it is not done is refused."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, field

from sglang_exporter.web.tls import CIPHERS, ClientAuth, TLSError, TLSSettings, Version, make_context
from sglang_exporter.yaml_file import Wrong, read_yaml

_BCRYPT = re.compile(r"\$2[aby]\$(0[4-9]|[12][0-9]|3[01])\$[./A-Za-z0-9]{53}")
_PRINTABLE = re.compile(r"[ -~]*")
_HEADERS: dict[str, tuple[str, ...]] = {
    "Content-Security-Policy": (),
    "Strict-Transport-Security": (),
    "X-Content-Type-Options": ("nosniff",),
    "X-Frame-Options": ("deny", "sameorigin"),
    "X-XSS-Protection": (),
}
"""Headers that may be set, and their values where only some may be."""
_NOT_DONE = {
    "cert": "is not done here: give cert_file",
    "key": "is not done here: give key_file",
    "client_ca": "is not done here: give client_ca_file",
    "client_allowed_sans": "is not done here",
    "curve_preferences": "is not done here",
}
_NOT_DONE_AUTH = ("RequestClientCert", "RequireAnyClientCert")


class TLSServerConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """TLS; relative paths are relative to the file."""

    cert_file: str = ""
    key_file: str = ""
    client_auth_type: ClientAuth | Literal["RequestClientCert", "RequireAnyClientCert", ""] = "NoClientCert"
    client_ca_file: str = ""
    min_version: Version | Literal["TLS10", "TLS11"] = "TLS12"
    max_version: Version | Literal["TLS10", "TLS11"] = "TLS13"
    cipher_suites: list[str] = field(default_factory=list)
    """Names as in Go; those of TLS 1.3 are always on, as they are there."""
    prefer_server_cipher_suites: bool = True
    cert: object = UNSET
    key: object = UNSET
    client_ca: object = UNSET
    client_allowed_sans: object = UNSET
    curve_preferences: object = UNSET


class HTTPServerConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Headers that every response gets. `http2` may be false only."""

    http2: bool = False
    headers: dict[str, str] = field(default_factory=dict)


class WebConfig(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The whole file."""

    tls_server_config: TLSServerConfig | UnsetType = UNSET
    http_server_config: HTTPServerConfig = HTTPServerConfig()
    basic_auth_users: dict[str, str] | UnsetType = UNSET
    """Names, and their passwords hashed with bcrypt."""
    rate_limit: object = UNSET

    def tls(self, folder: Path) -> TLSSettings | None:
        """Return what TLS is made of, with paths from `folder`; None where there is none."""
        given = self.tls_server_config
        if not isinstance(given, TLSServerConfig):
            return None
        return TLSSettings(
            certificate=folder / given.cert_file,
            key=folder / given.key_file,
            client_auth=given.client_auth_type or "NoClientCert",  # type: ignore[arg-type] # others are refused
            client_ca=folder / given.client_ca_file if given.client_ca_file else None,
            least=given.min_version,  # type: ignore[arg-type]
            most=given.max_version,  # type: ignore[arg-type]
            ciphers=tuple(given.cipher_suites),
            prefer_server=given.prefer_server_cipher_suites,
        )


def load_web_config(path: Path) -> WebConfig:
    """Return what the file says; raises ConfigError, which quotes no password and no hash."""
    return read_yaml(path, WebConfig, lambda config: list(_meaningless(config, path.parent)))


def _meaningless(config: WebConfig, folder: Path) -> Iterator[Wrong]:
    if config.rate_limit is not UNSET:
        yield ".rate_limit", "is not done here; at most 40 requests are answered at once"
    if config.http_server_config.http2:
        yield ".http_server_config.http2", "HTTP/2 is not done here: leave it out, or say false"
    yield from _wrong_headers(config.http_server_config.headers)
    if isinstance(config.basic_auth_users, dict):
        yield from _wrong_users(config.basic_auth_users)
    if isinstance(config.tls_server_config, TLSServerConfig):
        wrong = [(f".tls_server_config.{key}", problem) for key, problem in _wrong_tls(config.tls_server_config)]
        yield from wrong
        if not wrong and (settings := config.tls(folder)):
            yield from _wrong_files(settings)


def _wrong_headers(headers: dict[str, str]) -> Iterator[Wrong]:
    for name, value in headers.items():
        place = f".http_server_config.headers.{name}"
        if name not in _HEADERS:
            yield place, f"this header cannot be set: want one of {', '.join(_HEADERS)}"
        elif _HEADERS[name] and value not in _HEADERS[name]:
            yield place, f"want {' or '.join(_HEADERS[name])}"
        elif not _PRINTABLE.fullmatch(value):
            yield place, "want one line of printable ASCII"


def _wrong_users(users: dict[str, str]) -> Iterator[Wrong]:
    if not users:
        yield ".basic_auth_users", "there is nobody in it: leave it out to ask for no password"
    for name, password in users.items():
        if not name or ":" in name:
            yield ".basic_auth_users", "a name must not be empty, nor have a colon"
        if not _BCRYPT.fullmatch(password):
            yield f".basic_auth_users.{name}", "this is no bcrypt hash: make one with `htpasswd -nBC 10 NAME`"


def _wrong_tls(tls: TLSServerConfig) -> Iterator[Wrong]:
    yield from ((key, problem) for key, problem in _NOT_DONE.items() if getattr(tls, key) is not UNSET)
    yield from ((key, "is needed") for key in ("cert_file", "key_file") if not getattr(tls, key))
    for key in ("min_version", "max_version"):
        if getattr(tls, key) not in ("TLS12", "TLS13"):
            yield key, "is not done here: TLS 1.2 is the oldest"
    if tls.min_version > tls.max_version:
        yield "min_version", "is newer than max_version"
    if tls.client_auth_type in _NOT_DONE_AUTH:
        yield "client_auth_type", "is not done here, since it verifies nothing: want RequireAndVerifyClientCert"
    verifies = tls.client_auth_type in ("VerifyClientCertIfGiven", "RequireAndVerifyClientCert")
    if verifies and not tls.client_ca_file:
        yield "client_auth_type", "client_ca_file is needed to verify clients"
    if tls.client_ca_file and not verifies:
        yield "client_ca_file", "without a client_auth_type that verifies, nobody is checked against it"
    yield from (
        (f"cipher_suites[{i}]", f"want one of {', '.join(CIPHERS)}")
        for i, name in enumerate(tls.cipher_suites)
        if name not in CIPHERS
    )


def _wrong_files(settings: TLSSettings) -> Iterator[Wrong]:
    try:
        make_context(settings)
    except TLSError as error:
        yield f".tls_server_config.{error.key}", str(error)
