"""TLS as the web configuration wants it, in the words of Python's `ssl`."""

import ssl
from pathlib import Path
from typing import Literal, NamedTuple

ClientAuth = Literal["NoClientCert", "VerifyClientCertIfGiven", "RequireAndVerifyClientCert"]
Version = Literal["TLS12", "TLS13"]

_VERSIONS: dict[Version, ssl.TLSVersion] = {"TLS12": ssl.TLSVersion.TLSv1_2, "TLS13": ssl.TLSVersion.TLSv1_3}
_CLIENT_AUTH: dict[ClientAuth, ssl.VerifyMode] = {
    "NoClientCert": ssl.CERT_NONE,
    "VerifyClientCertIfGiven": ssl.CERT_OPTIONAL,
    "RequireAndVerifyClientCert": ssl.CERT_REQUIRED,
}
_TLS13 = ""
CIPHERS = {
    "TLS_AES_128_GCM_SHA256": _TLS13,
    "TLS_AES_256_GCM_SHA384": _TLS13,
    "TLS_CHACHA20_POLY1305_SHA256": _TLS13,
    "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256": "ECDHE-ECDSA-AES128-GCM-SHA256",
    "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384": "ECDHE-ECDSA-AES256-GCM-SHA384",
    "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-ECDSA-CHACHA20-POLY1305",
    "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256": "ECDHE-RSA-AES128-GCM-SHA256",
    "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384": "ECDHE-RSA-AES256-GCM-SHA384",
    "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256": "ECDHE-RSA-CHACHA20-POLY1305",
}
"""Go's names of cipher suites, and OpenSSL's; all have forward secrecy. Those of TLS 1.3 are always on."""


class TLSSettings(NamedTuple):
    """What a context is made of."""

    certificate: Path
    key: Path
    client_auth: ClientAuth
    client_ca: Path | None
    least: Version
    most: Version
    ciphers: tuple[str, ...]
    prefer_server: bool

    @property
    def files(self) -> list[Path]:
        """The files that it is read from."""
        return [self.certificate, self.key, *([self.client_ca] if self.client_ca else [])]


class TLSError(ValueError):
    """Settings that cannot be used, and the key of the web configuration that is to blame."""

    def __init__(self, key: str, problem: str) -> None:
        super().__init__(problem)
        self.key = key


def make_context(settings: TLSSettings) -> ssl.SSLContext:
    """Read the files anew; raises TLSError."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.options |= ssl.OP_NO_COMPRESSION | ssl.OP_NO_RENEGOTIATION
    if not settings.prefer_server:
        context.options &= ~ssl.OP_CIPHER_SERVER_PREFERENCE
    _set_versions(context, settings)
    _load_certificate(context, settings)
    context.verify_mode = _CLIENT_AUTH[settings.client_auth]
    if settings.client_ca:
        _load_authority(context, settings.client_ca)
    return context


def _set_versions(context: ssl.SSLContext, settings: TLSSettings) -> None:
    least = settings.least
    if settings.ciphers:
        older = [name for cipher in settings.ciphers if (name := CIPHERS[cipher])]
        if older:
            context.set_ciphers(":".join(older))
        elif settings.most == "TLS12":
            raise TLSError("cipher_suites", "none of these is of TLS 1.2, and max_version allows no newer")
        else:
            least = "TLS13"
    context.minimum_version, context.maximum_version = _VERSIONS[least], _VERSIONS[settings.most]


def _load_certificate(context: ssl.SSLContext, settings: TLSSettings) -> None:
    for key, path in (("cert_file", settings.certificate), ("key_file", settings.key)):
        try:
            path.open("rb").close()
        except OSError as error:
            raise TLSError(key, f"{path}: {error.strerror}") from error
    try:  # without a password of ours, OpenSSL would ask for one on the terminal
        context.load_cert_chain(settings.certificate, settings.key, password="")  # an empty one # nosec B106
    except ssl.SSLError as error:
        words = error.reason or "the key is not in PEM, or it is encrypted"
        raise TLSError("cert_file", f"certificate and key cannot be used: {words.replace('_', ' ').lower()}") from error
    except OSError as error:
        raise TLSError("cert_file", f"certificate and key cannot be used: {error.strerror}") from error


def _load_authority(context: ssl.SSLContext, path: Path) -> None:
    try:
        context.load_verify_locations(path)
    except ssl.SSLError as error:
        raise TLSError("client_ca_file", f"{path}: no certificate in PEM is in it") from error
    except OSError as error:
        raise TLSError("client_ca_file", f"{path}: {error.strerror}") from error
