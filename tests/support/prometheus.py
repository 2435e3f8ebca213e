"""Debian's Prometheus and Alertmanager, started for a test on free loopback ports."""

import json
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Self
from urllib.error import URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

PACKAGES = {
    "prometheus": "prometheus",
    "promtool": "prometheus",
    "prometheus-alertmanager": "prometheus-alertmanager",
    "amtool": "prometheus-alertmanager",
}
READY_SECONDS = 30.0
STOP_SECONDS = 10.0
POLL_SECONDS = 0.1


def binary(name: str) -> str:
    """Return the path of one of the programs of `PACKAGES`; fail the test with what to install where it is missing."""
    path = shutil.which(name)
    assert path, f"{name} is not installed: apt-get install -y {PACKAGES[name]}"
    return path


def free_port() -> int:
    """Return a TCP port of the loopback interface that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


class Daemon:
    """A program that serves HTTP, running until `close` or the end of a `with` block.

    Its output goes to `<name>.log` in the folder, and into the message when a wait fails. `stdin` is a descriptor.
    """

    def __init__(
        self, name: str, folder: Path, arguments: list[str], url: str, ready: str, *, stdin: int | None = None
    ) -> None:
        self.url = url
        self._ready = ready
        self.log = folder / f"{name}.log"
        with self.log.open("wb") as output:
            self._process = subprocess.Popen(
                arguments, cwd=folder, stdin=stdin, stdout=output, stderr=subprocess.STDOUT
            )
        try:
            self.wait(self.ready, READY_SECONDS, f"{name} is ready")
        except BaseException:
            self.close()
            raise

    def ready(self) -> bool:
        """Tell whether it has started."""
        return _answers(f"{self.url}{self._ready}")

    def wait(self, condition: Callable[[], bool], seconds: float, what: str) -> None:
        """Return when the condition holds; fail after so many seconds, or when the program has ended."""
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"not within {seconds:g} s: {what}\n{self.log.read_text()}"
            assert not self._ended_within(POLL_SECONDS), f"ended before {what}\n{self.log.read_text()}"

    def run_on(self, seconds: float) -> None:
        """Return after so many seconds; fail when the daemon ends before."""
        assert not self._ended_within(seconds), self.log.read_text()

    def get(self, path: str, **parameters: str) -> Any:  # noqa: ANN401, JSON can be anything
        """Return the JSON that the program answers."""
        with urlopen(f"{self.url}{path}?{urlencode(parameters)}", timeout=10) as answer:
            return json.load(answer)

    def close(self) -> None:
        """Stop the program, by force if it does not stop by itself."""
        self._process.terminate()
        if not self._ended_within(STOP_SECONDS):
            self._process.kill()
            self._process.wait()

    def _ended_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class PrometheusServer(Daemon):
    """Prometheus in a folder: `config` is the text of its prometheus.yml, rule files are copied to `rules/` beside it.

    Data are kept in `data/`, so blocks that are put there before are found.
    """

    def __init__(self, folder: Path, config: str, rules: Iterable[Path] = (), flags: Iterable[str] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "prometheus.yml").write_text(config)
        (folder / "rules").mkdir(exist_ok=True)
        for rule in rules:
            shutil.copy(rule, folder / "rules")
        address = f"127.0.0.1:{free_port()}"
        arguments = [
            binary("prometheus"),
            "--config.file=prometheus.yml",
            "--storage.tsdb.path=data",
            f"--web.listen-address={address}",
            *flags,
        ]
        super().__init__("prometheus", folder, arguments, f"http://{address}", "/-/ready")

    def query(self, promql: str, time: float | None = None) -> list[dict[str, Any]]:
        """Return the series of an instant query, at a time in seconds since the epoch or now."""
        at = {} if time is None else {"time": str(time)}
        return self._result("/api/v1/query", query=promql, **at)

    def query_range(self, promql: str, start: float, end: float, step: float) -> list[dict[str, Any]]:
        """Return the series of a range query; times in seconds since the epoch, step in seconds."""
        return self._result("/api/v1/query_range", query=promql, start=str(start), end=str(end), step=str(step))

    def _result(self, path: str, **parameters: str) -> list[dict[str, Any]]:
        result: list[dict[str, Any]] = self.get(path, **parameters)["data"]["result"]
        return result


class Alertmanager(Daemon):
    """Alertmanager in a folder: `config` is the text of its alertmanager.yml; templates are copied to `templates/`."""

    def __init__(self, folder: Path, config: str, templates: Iterable[Path] = ()) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "alertmanager.yml").write_text(config)
        (folder / "templates").mkdir(exist_ok=True)
        for template in templates:
            shutil.copy(template, folder / "templates")
        self.address = f"127.0.0.1:{free_port()}"
        arguments = [
            binary("prometheus-alertmanager"),
            "--config.file=alertmanager.yml",
            "--storage.path=data",
            f"--web.listen-address={self.address}",
            "--cluster.listen-address=",
        ]
        super().__init__("alertmanager", folder, arguments, f"http://{self.address}", "/-/ready")

    def send(self, alerts: list[dict[str, Any]]) -> None:
        """Hand alerts in, as Prometheus does."""
        body = json.dumps(alerts).encode()
        request = Request(f"{self.url}/api/v2/alerts", data=body, headers={"Content-Type": "application/json"})
        with urlopen(request, timeout=10):
            pass

    def alerts(self) -> list[dict[str, Any]]:
        """Return all alerts with their status."""
        result: list[dict[str, Any]] = self.get("/api/v2/alerts")
        return result


def _answers(url: str) -> bool:
    try:
        with urlopen(url, timeout=1):
            return True
    except (URLError, OSError):
        return False
