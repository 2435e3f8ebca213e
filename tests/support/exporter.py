"""The real daemon in a process of its own, and what a scrape of it shows."""

import os
import re
import resource
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from urllib.request import urlopen

from support.prometheus import Daemon, free_port

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]

_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_FAST = Path(__file__).parent / "fast.py"
_PLAIN = ("-m", "sglang_exporter")


class Exporter(Daemon):
    """`sglang-exporter serve` with the given flags on a free port; with `speed`, its clock runs that much faster.

    It keeps no checkpoint unless it is given a folder for it. `script` starts it in another way.
    """

    def __init__(
        self,
        folder: Path,
        *flags: str | Path,
        speed: float | None = None,
        checkpoint: Path | None = None,
        script: Sequence[str | Path] = _PLAIN,
    ) -> None:
        port = free_port()
        command = [*map(str, script if speed is None else (_FAST, speed)), "serve"]
        listen = ["--web.listen-address", f"127.0.0.1:{port}", "--checkpoint", str(checkpoint or "none")]
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

    def hang_up(self) -> None:
        """Have the configuration loaded anew."""
        self._process.send_signal(signal.SIGHUP)

    def allow_files(self, most: int) -> None:
        """Set the limit of open files."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.prlimit(self._process.pid, resource.RLIMIT_NOFILE, (most, hard))

    @property
    def resident_bytes(self) -> int:
        """The memory that the daemon has."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    @property
    def descriptors(self) -> int:
        """How many files, sockets and others it has open."""
        return len(list(Path(f"/proc/{self._process.pid}/fd").iterdir()))

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
