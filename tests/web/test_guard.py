"""TLS, passwords and headers on a real socket, and files that change meanwhile."""

import base64
import logging
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import bcrypt
import pytest

from sglang_exporter.clock import FixedClock
from sglang_exporter.logs import Throttle
from sglang_exporter.web.guard import Guard
from sglang_exporter.yaml_file import ConfigError
from support.certificates import Authority
from support.serving import PATIENCE, ask, say, serving

HASH = bcrypt.hashpw(b"s3cret", bcrypt.gensalt(4)).decode()
TLS = "tls_server_config:\n  cert_file: server.pem\n  key_file: server.key\n"
VERIFY = "  client_ca_file: our-ca.pem\n  client_auth_type: "
PASSWORD = f"basic_auth_users: {{al: {HASH}}}\n"
RIGHT = {"Authorization": "Basic " + base64.b64encode(b"al:s3cret").decode()}


@pytest.fixture(name="authority")
def _authority(tmp_path: Path) -> Authority:
    authority = Authority(tmp_path)
    authority.issue("server")
    return authority


@pytest.fixture(name="config")
def _config(tmp_path: Path, authority: Authority) -> Path:
    assert authority.file.parent == tmp_path
    return tmp_path / "web.yml"


def write(config: Path, text: str) -> Path:
    """Write a file so that it is another for whoever looks, however soon."""
    new = config.with_suffix(".new")
    new.write_text(text)
    new.replace(config)
    return config


@contextmanager
def connected(port: int, tls: ssl.SSLContext) -> Iterator[ssl.SSLSocket]:
    with ExitStack() as stack:
        peer = stack.enter_context(socket.create_connection(("127.0.0.1", port), PATIENCE))
        yield stack.enter_context(tls.wrap_socket(peer, server_hostname="localhost"))


def serial(port: int, tls: ssl.SSLContext) -> object:
    with connected(port, tls) as connection:
        return (connection.getpeercert() or {}).get("serialNumber")


def test_tls_answers_who_trusts_it(config: Path, authority: Authority) -> None:
    with serving(write(config, TLS)) as port:
        assert ask(port, "/x", authority.client())[::2] == (200, b"GET /x\n")
        with pytest.raises(ssl.SSLCertVerificationError):
            ask(port, "/x", ssl.create_default_context())


def test_http_to_an_https_port_is_told_so_and_gets_nothing(config: Path) -> None:
    with serving(write(config, TLS)) as port:
        answer = say(port, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer.startswith(b"HTTP/1.0 400 Bad Request\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert body == b"this is an HTTPS server, and this was HTTP"
    assert b"Content-Length: %d" % len(body) in head


@pytest.mark.parametrize(
    ("keys", "version"),
    [
        ("", "TLSv1.3"),
        ("  max_version: TLS12\n", "TLSv1.2"),
        ("  min_version: TLS13\n", "TLSv1.3"),
        ("  cipher_suites: [TLS_AES_128_GCM_SHA256]\n", "TLSv1.3"),
    ],
)
def test_versions_are_those_of_the_file(keys: str, version: str, config: Path, authority: Authority) -> None:
    with serving(write(config, TLS + keys)) as port, connected(port, authority.client()) as tls:
        assert tls.version() == version


@pytest.mark.parametrize("oldest", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
def test_no_version_before_1_2_is_spoken(oldest: ssl.TLSVersion, config: Path, authority: Authority) -> None:
    client = authority.client()
    client.set_ciphers("ALL:@SECLEVEL=0")
    with pytest.warns(DeprecationWarning, match="TLSv1"):
        client.minimum_version = client.maximum_version = oldest
    with serving(write(config, TLS)) as port, pytest.raises(OSError, match=r"(?i)version|eof|reset"):
        ask(port, "/", client)


def test_ciphers_are_those_of_the_file(config: Path, authority: Authority) -> None:
    keys = "  max_version: TLS12\n  cipher_suites: [TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256]\n"
    with serving(write(config, TLS + keys)) as port:
        with connected(port, authority.client()) as tls:
            assert (tls.cipher() or [""])[0] == "ECDHE-ECDSA-CHACHA20-POLY1305"
        other = authority.client()
        other.set_ciphers("ECDHE-ECDSA-AES128-GCM-SHA256")
        with pytest.raises(OSError, match=r"(?i)handshake|eof|reset"):
            ask(port, "/", other)


def test_clients_without_a_certificate_or_with_a_wrong_one_are_refused(config: Path, authority: Authority) -> None:
    stranger = Authority(config.parent, "strange").issue("stranger", "me")
    with serving(write(config, TLS + VERIFY + "RequireAndVerifyClientCert\n")) as port:
        assert ask(port, "/", authority.client(authority.issue("client", "me")))[0] == 200
        for wrong in (authority.client(), authority.client(stranger)):
            with pytest.raises(OSError, match=r"(?i)alert|eof|reset|closed"):
                ask(port, "/", wrong)


def test_a_certificate_if_given_must_be_right(config: Path, authority: Authority) -> None:
    stranger = Authority(config.parent, "strange").issue("stranger", "me")
    with serving(write(config, TLS + VERIFY + "VerifyClientCertIfGiven\n")) as port:
        assert ask(port, "/", authority.client())[0] == 200
        with pytest.raises(OSError, match=r"(?i)alert|eof|reset|closed"):
            ask(port, "/", authority.client(stranger))


@pytest.mark.parametrize("path", ["/", "/metrics", "/-/healthy", "/-/ready", "/favicon.ico", "/nowhere"])
def test_without_credentials_there_is_nothing_but_401(path: str, config: Path) -> None:
    with serving(write(config, PASSWORD)) as port:
        for headers in ({}, {"Authorization": "Basic eDp5"}, {"Authorization": "Bearer s3cret"}):
            status, answered, body = ask(port, path, headers=headers)
            assert (status, body) == (401, b"unauthorized\n")
            assert answered["WWW-Authenticate"].startswith("Basic ")
        assert ask(port, path, headers=RIGHT)[0] == 200


def test_password_is_asked_for_over_tls_too(config: Path, authority: Authority) -> None:
    with serving(write(config, TLS + PASSWORD)) as port:
        assert ask(port, "/", authority.client())[0] == 401
        assert ask(port, "/", authority.client(), RIGHT)[0] == 200


def test_headers_are_on_every_response(config: Path) -> None:
    headers = "http_server_config: {headers: {X-Frame-Options: deny, Strict-Transport-Security: max-age=9}}\n"
    with serving(write(config, PASSWORD + headers)) as port:
        for given in ({}, RIGHT):
            answered = ask(port, headers=given)[1]
            assert (answered["X-Frame-Options"], answered["Strict-Transport-Security"]) == ("deny", "max-age=9")
        assert b"X-Frame-Options: deny\r\n" in say(port, b"nonsense\r\n\r\n")


def test_certificates_are_read_again_when_they_change(config: Path, authority: Authority) -> None:
    with serving(write(config, TLS)) as port:
        before = serial(port, authority.client())
        assert serial(port, authority.client()) == before
        os.utime(authority.issue("server").key, (1, 1))
        assert serial(port, authority.client()) != before


def test_certificate_without_its_key_leaves_the_last_good_pair(
    config: Path, authority: Authority, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(write(config, TLS)) as port:
        before = serial(port, authority.client())
        key = (config.parent / "server.key").read_bytes()
        pair = authority.issue("server")
        fresh = pair.key.read_bytes()
        pair.key.write_bytes(key)
        os.utime(pair.key, (1, 1))
        assert serial(port, authority.client()) == before
        said = [record for record in caplog.records if record.levelno >= logging.WARNING]
        assert [record.getMessage() for record in said] == [
            "the web configuration is bad, the last good one stays in force"
        ]
        pair.key.write_bytes(fresh)
        assert serial(port, authority.client()) != before


def test_users_are_those_of_the_file_as_it_is_now(config: Path) -> None:
    with serving(write(config, PASSWORD)) as port:
        assert ask(port, headers=RIGHT)[0] == 200
        write(config, PASSWORD.replace("al:", "bo:"))
        assert ask(port, headers=RIGHT)[0] == 401
        write(config, "basic_auth_user: x\n")
        assert ask(port, headers=RIGHT)[0] == 401
        config.unlink()
        assert ask(port, headers=RIGHT)[0] == 401
        write(config, PASSWORD)
        assert ask(port, headers=RIGHT)[0] == 200


def test_bad_from_the_start_is_an_error(config: Path) -> None:
    with pytest.raises(ConfigError, match=r"web\.yml:1: rate_limit: "):
        Guard(write(config, "rate_limit: {}\n"), Throttle(FixedClock()))


@pytest.fixture(autouse=True)
def _no_descriptor_stays() -> Iterator[None]:
    descriptors = len(os.listdir("/proc/self/fd"))  # noqa: PTH208 -- a count
    yield
    assert len(os.listdir("/proc/self/fd")) <= descriptors  # noqa: PTH208
