"""A server under measurement, ours or a peer: started, waited for, scraped, stopped."""

import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path

from bench.measure import Spent, spent

EXPORTER = str(Path(sys.executable).with_name("sglang-exporter"))
MTAIL = shutil.which("mtail") or "mtail"
_PROGRAMS = Path(__file__).parent
_PATIENCE = 120.0


class Served:
    """A running server; one connection is kept, as Prometheus does."""

    def __init__(self, process: subprocess.Popen[bytes], port: int) -> None:
        self._process = process
        self._connection = HTTPConnection("127.0.0.1", port, timeout=_PATIENCE)
        self.started = self._wait()

    def page(self) -> str:
        """Return what `/metrics` says."""
        self._connection.request("GET", "/metrics", headers={"Accept": "text/plain;version=0.0.4"})
        return self._connection.getresponse().read().decode()

    def spent(self) -> Spent:
        """Return what it has cost so far."""
        return spent(self._process.pid)

    def during(self, seconds: float) -> tuple[float, float]:
        """Return the share of a CPU, in per cent, and the wake-ups per second of so many seconds."""
        before, began = self.spent(), time.monotonic()
        time.sleep(seconds)
        after, took = self.spent(), time.monotonic() - began
        return 100 * (after.cpu - before.cpu) / took, (after.wakes - before.wakes) / took

    def _wait(self) -> float:
        """Return the time of the first answer, by the monotonic clock."""
        until = time.monotonic() + _PATIENCE
        while time.monotonic() < until and self._process.poll() is None:
            try:
                self.page()
            except OSError:
                self._connection.close()
                time.sleep(0.002)
            else:
                return time.monotonic()
        raise RuntimeError(f"{self._process.args!r} does not answer")


@contextmanager
def exporter(*flags: str) -> Iterator[Served]:
    """Run `sglang-exporter serve`."""
    port = _free_port()
    with _running(
        [EXPORTER, "serve", "--checkpoint", "none", "--web.listen-address", f"127.0.0.1:{port}", *flags], port
    ) as served:
        yield served


@contextmanager
def mtail(logs: str) -> Iterator[Served]:
    """Run mtail as a server on logs of a glob."""
    port = _free_port()
    command = [
        MTAIL,
        "--progs",
        str(_PROGRAMS / "log.mtail"),
        "--logs",
        logs,
        "--port",
        str(port),
        "--address",
        "127.0.0.1",
    ]
    with _running(command, port) as served:
        yield served


def mtail_once(program: str, path: Path) -> list[str]:
    """Return the command with which mtail reads a file to its end."""
    once = ["--one_shot", "--one_shot_format", "prometheus", "--port", "0"]
    return [MTAIL, "--progs", str(_PROGRAMS / program), "--logs", str(path), *once]


@contextmanager
def _running(command: Sequence[str], port: int) -> Iterator[Served]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield Served(process, port)
    finally:
        process.terminate()
        process.wait(30)


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
