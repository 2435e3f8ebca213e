"""More than a hundred requests that nobody means well by: no traceback, no hang, nothing that stays open."""

import gc
import logging
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sglang_exporter.web.service import Limits
from support.certificates import Authority
from support.serving import ask, say, serving

H = b"Host: x\r\n"
GET = b"GET / HTTP/1.1\r\n" + H
LIMITS = Limits(handshake=0.3, head=0.3, body=0.3, total=1.0)


def target(path: bytes) -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\n" + H + b"\r\n"


def post(fields: bytes, body: bytes = b"") -> bytes:
    return b"POST / HTTP/1.1\r\n" + H + fields + b"\r\n" + body


SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"
REQUESTS: dict[bytes, str] = {
    # Not HTTP at all
    b"": "",
    b"\r\n": "400",
    b"\n": "400",
    b"\r\n\r\n": "400",
    b"\0" * 100: "",
    b"\0\n": "400",
    b"hello\r\n": "400",
    b"hello world\r\n": "400",
    b"\xff\xfe\xfd\r\n\r\n": "400",
    b"EHLO me\r\n": "400",
    b"SSH-2.0-OpenSSH_9.6\r\n": "400",
    b"*1\r\n$4\r\nPING\r\n": "400",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": "505",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n": "400",
    # Request lines
    b"GET\r\n\r\n": "400",
    b"GET \r\n\r\n": "400",
    b"GET /\r\n\r\n": "400",
    b"GET / \r\n\r\n": "400",
    b"GET / HTTP\r\n\r\n": "400",
    b"GET / HTTP/\r\n\r\n": "400",
    b"GET / HTTP/1\r\n\r\n": "400",
    b"GET / HTTP/1.\r\n\r\n": "400",
    b"GET / HTTP/1.10\r\n\r\n": "400",
    b"GET / HTTP/01.1\r\n\r\n": "400",
    b"GET / HTTP/-1.1\r\n\r\n": "400",
    b"GET / HTTP/0.9\r\n\r\n": "400",
    b"GET / HTTP/2.0\r\n\r\n": "505",
    b"GET / HTTP/9.9\r\n\r\n": "505",
    b"GET / http/1.1\r\n\r\n": "400",
    b"GET / HTTPS/1.1\r\n\r\n": "400",
    b"GET / HTTP/1.1 \r\n\r\n": "400",
    b"GET  / HTTP/1.1\r\n\r\n": "400",
    b"GET /  HTTP/1.1\r\n\r\n": "400",
    b"GET\t/\tHTTP/1.1\r\n\r\n": "400",
    b"GET / a HTTP/1.1\r\n\r\n": "400",
    b" GET / HTTP/1.1\r\n\r\n": "400",
    b"\r\nGET / HTTP/1.1\r\n\r\n": "400",
    b"GET /\r HTTP/1.1\r\n\r\n": "400",
    b"GET /\0 HTTP/1.1\r\n\r\n": "400",
    b"GET /\xc3\xa9 HTTP/1.1\r\n\r\n": "400",
    b"GET /\x7f HTTP/1.1\r\n\r\n": "400",
    b"G\0T / HTTP/1.1\r\n\r\n": "400",
    b"G(T / HTTP/1.1\r\n\r\n": "400",
    b"GET / HTTP/1.1\rHost: x\r\r": "",
    b"GET / HTTP/1.1": "",
    b"GET / HTTP/1.1\r\n": "",
    GET: "",
    b"GET /" + b"a" * 20_000 + b" HTTP/1.1\r\n\r\n": "414",
    b"GET /" + b"a" * (1 << 20) + b" HTTP/1.1\r\n\r\n": "414",
    b"A" * 20_000: "414",
    b"A" * (1 << 20) + b" / HTTP/1.1\r\n\r\n": "414",
    # Fields
    GET + b"A: " + b"x" * (1 << 20) + b"\r\n\r\n": "431",
    GET + b"x" * (1 << 20) + b": a\r\n\r\n": "431",
    GET + b"A: b\r\n" * 200_000 + b"\r\n": "431",
    GET + b"A: b\r\n" * 101 + b"\r\n": "431",
    GET + b"A: " + b"x" * 16_000 + b"\r\nB: " + b"x" * 16_000 + b"\r\nC: " + b"x" * 16_000 + b"\r\n\r\n": "431",
    GET + b"A\r\n\r\n": "400",
    GET + b": a\r\n\r\n": "400",
    GET + b"A : b\r\n\r\n": "400",
    GET + b" A: b\r\n\r\n": "400",
    GET + b"A: b\r\n c\r\n\r\n": "400",
    GET + b"A: b\r\n\tc\r\n\r\n": "400",
    GET + b"A: b\rB: c\r\n\r\n": "400",
    GET + b"A: \0\r\n\r\n": "400",
    GET + b"A: \x1b[2J\r\n\r\n": "400",
    GET + b"A\0: b\r\n\r\n": "400",
    GET + b"A(b): c\r\n\r\n": "400",
    GET + b"\xe4: c\r\n\r\n": "400",
    GET + b"Host: y\r\n\r\n": "400",
    GET + b"Authorization: Basic YTpi\r\nAuthorization: Basic Yzpk\r\n\r\n": "400",
    # One request that two readers take for two
    post(b"Content-Length: 4\r\nContent-Length: 5\r\n", b"aaaaa"): "400",
    post(b"Content-Length: 4\r\nContent-Length: 4\r\n", b"aaaa"): "400",
    post(b"Content-Length: 4, 4\r\n", b"aaaa"): "400",
    post(b"Content-Length: +4\r\n", b"aaaa"): "400",
    post(b"Content-Length: -1\r\n"): "400",
    post(b"Content-Length: 0x4\r\n", b"aaaa"): "400",
    post(b"Content-Length: 4_0\r\n"): "400",
    post(b"Content-Length: 4.0\r\n"): "400",
    post(b"Content-Length: four\r\n"): "400",
    post(b"Content-Length: \xb2\r\n"): "400",
    post(b"Content-Length: \r\n"): "400",
    post(b"Content-Length: " + b"9" * 19 + b"\r\n"): "400",
    post(b"Content-Length: " + b"9" * 5000 + b"\r\n"): "400",
    post(b"Content-Length: " + b"9" * 18 + b"\r\n"): "413",
    post(b"Content-Length: 65537\r\n", b"a" * 65537): "413",
    post(b"Content-Length: 10\r\n", b"aaaa"): "",
    post(b"Content-Length : 4\r\n", b"aaaa"): "400",
    post(b"Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"): "501",
    post(b"Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", b"0\r\n\r\n" + SMUGGLED): "400",
    post(b"Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", b"0\r\n\r\n" + SMUGGLED): "400",
    post(b"Transfer-Encoding: identity\r\nContent-Length: 4\r\n", b"aaaa"): "400",
    post(b"Transfer-Encoding : chunked\r\n", b"0\r\n\r\n"): "400",
    post(b"Transfer-Encoding: xchunked\r\n", b"0\r\n\r\n"): "501",
    post(b"Transfer-Encoding:\tchunked\r\n", b"0\r\n\r\n"): "501",
    post(b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", b"0\r\n\r\n"): "400",
    post(b"X: y\rTransfer-Encoding: chunked\r\n", b"0\r\n\r\n"): "400",
    post(b"X: y\n Transfer-Encoding: chunked\r\n", b"0\r\n\r\n"): "400",
    post(b"Content-Length: 0\r\n", SMUGGLED): "200",
    GET + b"\r\n" + SMUGGLED: "200",
    GET + b"Content-Length: %d\r\n\r\n" % len(SMUGGLED) + SMUGGLED: "200",
    GET + b"Upgrade: h2c\r\nConnection: Upgrade\r\n\r\n": "200",
    GET + b"Expect: 100-continue\r\n\r\n": "200",
    GET + b"Accept-Encoding: " + b"gzip," * 2000 + b"\r\n\r\n": "200",
}
PATHS = (
    b"/../../etc/passwd",
    b"/metrics/../../etc/passwd",
    b"/./",
    b"//",
    b"//metrics",
    b"///etc/passwd",
    b"/metrics/",
    b"/metrics%00",
    b"/%6detrics",
    b"/%2e%2e/%2e%2e/etc/passwd",
    b"/..%2f..%2fetc%2fpasswd",
    b"/..%252f..%252fetc",
    b"/..;/metrics",
    b"/metrics;a=b",
    b"/metrics#a",
    b"/\\..\\..\\etc\\passwd",
    b"/METRICS",
    b"/proc/self/environ",
    b"/-/",
    b"/-/reload",
    b"/-/healthy/../ready",
    b"/debug/pprof/",
    b"/.git/config",
    b"*",
    b"metrics",
    b"http://x/metrics",
    b"http://x@127.0.0.1/",
    b"file:///etc/passwd",
    b"x:443",
    b"/{server}",
    b"/<script>alert(1)</script>",
    b"/%0d%0aSet-Cookie:a=b",
    b"/$(id)",
    b"/" + b"../" * 4000,
)
TLS = {
    "nothing": b"",
    "noise": bytes(range(256)) * 4,
    "a hello that is cut": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"a" * 20,
    "a hello too long": b"\x16\x03\x01\xff\xff" + b"a" * 70_000,
    "an empty hello": b"\x16\x03\x01\x00\x04\x01\x00\x00\x00",
    "a record of length 0": b"\x16\x03\x01\x00\x00" * 100,
    "an alert": b"\x15\x03\x01\x00\x02\x02\x28",
    "data before a handshake": b"\x17\x03\x03\x00\x05hello",
    "change of cipher only": b"\x14\x03\x03\x00\x01\x01" * 50,
    "heartbeat": b"\x18\x03\x02\x00\x03\x01\x40\x00",
    "SSL 2": b"\x80\x2e\x01\x00\x02\x00\x15\x00\x00\x00\x10" + b"a" * 40,
    "SSL 3": b"\x16\x03\x00\x00\x2d\x01\x00\x00\x29\x03\x00" + b"a" * 38,
    "HTTP": b"GET / HTTP/1.1\r\n\r\n",
    "a proxy's": b"PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n",
    "1 MB": b"\x16\x03\x01\x40\x00" + b"\0" * (1 << 20),
}


def test_there_are_more_than_a_hundred() -> None:
    assert len(REQUESTS) + len(PATHS) + len(TLS) > 150


@pytest.fixture(autouse=True)
def _nothing_stays(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail when a warning was said, or a thread or a descriptor stays, after the server was closed."""
    gc.collect()
    threads, descriptors = threading.active_count(), len(os.listdir("/proc/self/fd"))  # noqa: PTH208 -- a count
    yield
    for thread in threading.enumerate():
        if thread.name.startswith("Thread-"):
            thread.join(10)
    gc.collect()
    assert threading.active_count() <= threads
    assert len(os.listdir("/proc/self/fd")) <= descriptors  # noqa: PTH208
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING] == []


@pytest.fixture(name="port", scope="module")
def _port() -> Iterator[int]:
    with serving(limits=LIMITS) as port:
        yield port


@pytest.mark.parametrize(("request_bytes", "status"), REQUESTS.items(), ids=[str(n) for n in range(len(REQUESTS))])
def test_requests(request_bytes: bytes, status: str, port: int) -> None:
    answer = say(port, request_bytes)
    assert answer.partition(b"\r\n")[0].split(b" ")[1:2] == ([status.encode()] if status else [])
    assert answer.count(b"HTTP/1.0 ") == (1 if status else 0)
    assert b"smuggled" not in answer
    assert b"raceback" not in answer
    assert ask(port)[0] == 200


@pytest.mark.parametrize("path", PATHS)
def test_paths_reach_the_application_as_they_are(path: bytes, port: int) -> None:
    answer = say(port, target(path))
    assert answer.endswith(b"\r\n\r\nGET " + path + b"\n")
    assert b"Set-Cookie" not in answer.partition(b"\r\n\r\n")[0]


@pytest.mark.parametrize("said", TLS.values(), ids=TLS)
def test_malformed_tls(said: bytes, tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    pair = authority.issue("server")
    config = tmp_path / "web.yml"
    config.write_text(f"tls_server_config: {{cert_file: {pair.certificate}, key_file: {pair.key}}}\n")
    with serving(config, limits=LIMITS) as port:
        for end in (False, True):
            answer = say(port, said, end=end)
            assert b"raceback" not in answer
            assert b" 200 " not in answer
        assert ask(port, "/", authority.client())[0] == 200
