"""The real daemon in a process of its own, and what a scrape of it shows."""

import re
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from urllib.request import urlopen

from support.prometheus import Daemon, free_port

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]

_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_FAST = Path(__file__).parent / "fast.py"
_SERVE = ["-m", "sglang_exporter", "serve"]


class Exporter(Daemon):
    """`sglang-exporter serve` with the given flags on a free port; with `speed`, its clock runs that much faster."""

    def __init__(self, folder: Path, *flags: str | Path, speed: float | None = None) -> None:
        port = free_port()
        command = _SERVE if speed is None else [str(_FAST), str(speed), "serve"]
        listen = ["--web.listen-address", f"127.0.0.1:{port}"]
        arguments = [sys.executable, *command, *listen, *map(str, flags)]
        super().__init__("exporter", folder, arguments, f"http://127.0.0.1:{port}", "/-/ready")

    def text(self, path: str = "/metrics") -> str:
        """Return what a page says."""
        with urlopen(self.url + path, timeout=10) as answer:
            return str(answer.read().decode())

    def page(self) -> Samples:
        """Return the samples of a scrape."""
        return parse(self.text())

    def page_when(self, condition: Callable[[Samples], bool], what: str, seconds: float = 20.0) -> Samples:
        """Return the first page for which the condition holds; fail after so many seconds."""
        page: Samples = {}

        def holds() -> bool:
            nonlocal page
            page = self.page()
            return condition(page)

        self.wait(holds, seconds, what)
        return page

    def signal(self, number: signal.Signals) -> tuple[int, float]:
        """Send a signal; return the exit status and the seconds until it came."""
        began = time.monotonic()
        self._process.send_signal(number)
        status = self._process.wait(10)
        return status, time.monotonic() - began


def parse(text: str) -> Samples:
    """Return the samples of a page by name and sorted labels."""
    found = (_SAMPLE.match(line) for line in text.splitlines())
    return {(s[1], tuple(sorted(_LABEL.findall(s[2] or "")))): float(s[3]) for s in found if s}


def pick(page: Samples, name: str, **labels: str) -> float | None:
    """Return the sample of that name that has these labels, None when there is none."""
    matching = (value for (known, has), value in page.items() if known == name and labels.items() <= dict(has).items())
    return next(matching, None)
