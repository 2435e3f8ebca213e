"""The real daemon in a process of its own, and what a scrape of it shows."""

import os
import re
import resource
import signal
import socket
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.request import urlopen

from support.prometheus import STOP_SECONDS, Daemon, free_port

Samples = dict[tuple[str, tuple[tuple[str, str], ...]], float]

_SAMPLE = re.compile(r"^(\w+)(?:\{(.*)\})? (\S+)$")
_LABEL = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')
_FAST = Path(__file__).parent / "fast.py"
_PLAIN = ("-m", "sglang_exporter")


class Exporter(Daemon):
    """`sglang-exporter serve` with the given flags on a free port; with `speed`, its clock runs that much faster.

    It keeps no checkpoint unless it is given a folder for it. `script` starts it in another way. It is awaited until the
    page `ready` answers well.
    """

    def __init__(
        self,
        folder: Path,
        *flags: str | Path,
        speed: float | None = None,
        checkpoint: Path | None = None,
        script: Sequence[str | Path] = _PLAIN,
        stdin: int | None = None,
        ready: str = "/-/ready",
    ) -> None:
        port = free_port()
        command = [*map(str, script if speed is None else (_FAST, speed)), "serve"]
        listen = ["--web.listen-address", f"127.0.0.1:{port}", "--checkpoint", str(checkpoint or "none")]
        arguments = [sys.executable, *command, *listen, *map(str, flags)]
        super().__init__("exporter", folder, arguments, f"http://127.0.0.1:{port}", ready, stdin=stdin)

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

    def run_on(self, seconds: float) -> None:
        """Return after so many seconds; fail when the daemon ends before."""
        assert not self._ended_within(seconds), self.log.read_text()

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Give it no time to run for a while."""
        self._process.send_signal(signal.SIGSTOP)
        os.waitid(os.P_PID, self._process.pid, os.WSTOPPED)
        try:
            yield
        finally:
            self._process.send_signal(signal.SIGCONT)

    def allow_files(self, most: int) -> None:
        """Set the limit of open files."""
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.prlimit(self._process.pid, resource.RLIMIT_NOFILE, (most, hard))

    @property
    def pid(self) -> int:
        """Its process."""
        return self._process.pid

    @property
    def resident_bytes(self) -> int:
        """The memory that the daemon has."""
        pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    @property
    def descriptors(self) -> list[str]:
        """What each of its descriptors leads to; files by path, ` (deleted)` behind it where that is so."""
        leads_to = []
        for descriptor in Path(f"/proc/{self._process.pid}/fd").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                leads_to.append(str(descriptor.readlink()))
        return leads_to

    @property
    def watches(self) -> int:
        """How many inotify watches it has."""
        count = 0
        for file in Path(f"/proc/{self._process.pid}/fdinfo").iterdir():
            with suppress(FileNotFoundError):  # closed meanwhile
                count += file.read_text().count("inotify wd:")
        return count

    def signal(self, number: signal.Signals) -> int:
        """Send a signal; return the exit status, and fail when there is none for long."""
        self._process.send_signal(number)
        return self._process.wait(STOP_SECONDS)

    def connect(self) -> socket.socket:
        """Return a connection on which nothing was asked yet."""
        host, port = self.url.removeprefix("http://").split(":")
        return socket.create_connection((host, int(port)), timeout=10)


def parse(text: str) -> Samples:
    """Return the samples of a page by name and sorted labels."""
    found = (_SAMPLE.match(line) for line in text.splitlines())
    return {(s[1], tuple(sorted(_LABEL.findall(s[2] or "")))): float(s[3]) for s in found if s}


def pick(page: Samples, name: str, **labels: str) -> float | None:
    """Return the sample of that name that has these labels, None when there is none."""
    matching = (value for (known, has), value in page.items() if known == name and labels.items() <= dict(has).items())
    return next(matching, None)
