"""`make demo` shows the recorded server on the exporter's page, and leaves nothing running."""

import os
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from support.prometheus import free_port

SCRIPT = Path(__file__).parents[2] / "deploy/demo.sh"
PATIENCE_SECONDS = 60
SHOWN = "\nsglang_server_running_requests{"


@contextmanager
def demo(port: int, seconds: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run the demo in a process group of its own, as a terminal does; nothing of the group may be left at the end."""
    settings = {"PORT": str(port), "DEMO_SECONDS": str(seconds), "BIN": str(Path(sys.executable).parent)}
    process = subprocess.Popen([SCRIPT], env=os.environ | settings, start_new_session=True)
    try:
        yield process
        with pytest.raises(ProcessLookupError):
            os.killpg(process.pid, 0)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def page(port: int) -> str:
    """Return what Prometheus would read, or nothing while nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=5) as response:
            return str(response.read(), "utf-8")
    except OSError:
        return ""


@pytest.mark.slow
def test_demo_shows_the_server_until_ctrl_c_or_until_its_time_is_over() -> None:
    port = free_port()
    with demo(port, PATIENCE_SECONDS) as process:
        while SHOWN not in page(port):
            with pytest.raises(subprocess.TimeoutExpired):  # it has not ended
                process.wait(timeout=0.1)
        os.killpg(process.pid, signal.SIGINT)
        assert process.wait(timeout=10) == 0
    with demo(port, 0) as process:
        assert process.wait(timeout=10) == 0
