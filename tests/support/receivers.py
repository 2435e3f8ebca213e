"""Who gets Alertmanager's messages: Slack, PagerDuty and a webhook over HTTP, and a mail server."""

import email
import email.policy
import json
import queue
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from support.prometheus import free_port

# What the shipped configuration has in the places to fill in, and under which path each is answered here.
ADDRESSES = {
    "http://127.0.0.1:9099/": "webhook",
    "https://hooks.slack.com/services/FILL/ME/IN": "slack",
    "https://events.pagerduty.com/v2/enqueue": "pagerduty",
}
MAIL_SERVER = "smtp.example.com:587"
COMMENTED = re.compile(r"^( +)# (- receiver: .+|  (?:continue|matchers): .+)$", re.MULTILINE)


def all_receivers(config: str) -> str:
    """Return the shipped Alertmanager configuration with every receiver taken in."""
    return COMMENTED.sub(r"\1\2", config)


class Sent(NamedTuple):
    """One message: `to` is the kind of receiver, `body` the parsed JSON or mail."""

    to: str
    body: Any


class Receivers:
    """All kinds of receivers on loopback ports; `sent` holds what they were sent, in order."""

    def __init__(self, http_port: int, mail_port: int) -> None:
        self._http_port = http_port
        self._mail_port = mail_port
        self.sent: queue.Queue[Sent] = queue.Queue()

    def configured(self, config: str) -> str:
        """Return the shipped configuration with these receivers in the places to fill in."""
        for address, path in ADDRESSES.items():
            assert address in config
            config = config.replace(address, f"http://127.0.0.1:{self._http_port}/{path}")
        assert MAIL_SERVER in config
        return config.replace(MAIL_SERVER, f"127.0.0.1:{self._mail_port}\n  smtp_require_tls: false")

    def next(self, seconds: float) -> Sent | None:
        """Return the next message, None when there is none within the time."""
        try:
            return self.sent.get(timeout=seconds)
        except queue.Empty:
            return None


@contextmanager
def receiving() -> Iterator[Receivers]:
    """Yield receivers that answer until the end of the block."""
    with ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler) as http:
        receivers = Receivers(http.server_port, free_port())
        http.RequestHandlerClass = _handler(receivers.sent)
        mail = Controller(_Mailbox(receivers.sent), hostname="127.0.0.1", port=receivers._mail_port)
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        mail.start()
        try:
            yield receivers
        finally:
            mail.stop()
            http.shutdown()
            thread.join()


def _handler(sent: queue.Queue[Sent]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            sent.put(Sent(self.path.strip("/"), body))
            self.send_response(202 if "pagerduty" in self.path else 200)
            self.end_headers()
            self.wfile.write(b'{"status": "success", "ok": true}')

        def log_message(self, *_: object) -> None:
            pass

    return Handler


class _Mailbox:
    def __init__(self, sent: queue.Queue[Sent]) -> None:
        self._sent = sent

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802, aiosmtpd's
        assert isinstance(envelope.content, bytes)
        message = email.message_from_bytes(envelope.content, policy=email.policy.default)
        self._sent.put(Sent("email", message))
        return "250 OK"


def text_of(message: EmailMessage) -> str:
    """Return the plain text of a mail."""
    body = message.get_body(("plain",))
    assert body
    return str(body.get_content()).replace("\r\n", "\n").strip()
