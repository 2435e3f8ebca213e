"""The README's commands for files of one's own, typed exactly, in a fresh clone and a home folder that is empty.

`make newcomer` types all of them, `make test` too, on a Debian that has nothing but Python.
"""

import gzip
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.request import urlopen

import pytest

from support.exporter import parse, pick
from support.readme import PAGE, packages, typed

ROOT = Path(__file__).parents[1]
RECORDING = ROOT / "deploy/demo/recording"
OWN_FILES = typed("Point it at your own files")
PATIENCE = 60.0
_NO_INDEX = re.compile(
    r"No matching distribution|Failed to establish a new connection|NameResolutionError|Network is unre"
)


@pytest.fixture(name="clone")
def _clone(tmp_path: Path) -> Path:
    """Return a clone in which a newcomer has put a log and an output file."""
    if not (ROOT / ".git").exists() or not shutil.which("git"):
        pytest.skip("there is no clone, or no git")
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, tmp_path / "clone"], check=True)
    for packed in RECORDING.glob("*.gz"):
        (tmp_path / "clone" / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
    return tmp_path / "clone"


def shell(clone: Path, command: str) -> subprocess.Popen[str]:
    """Start a command as a newcomer does, whose packages pip may have cached."""
    paths = [path for path in os.environ["PATH"].split(":") if not path.startswith(sys.prefix)]
    home = {"HOME": str(clone.parent), "PATH": ":".join(paths), "XDG_STATE_HOME": str(clone.parent / "state")}
    cache = subprocess.run([sys.executable, "-m", "pip", "cache", "dir"], check=True, capture_output=True, text=True)
    environment = {**os.environ, **home, "PIP_CACHE_DIR": cache.stdout.strip()}
    return subprocess.Popen(
        ["bash", "-c", command],
        cwd=clone,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def page(path: str) -> str:
    """Return a page, or nothing while nobody answers."""
    try:
        with urlopen(PAGE + path, timeout=5) as answer:
            return str(answer.read().decode())
    except OSError:
        return ""


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_commands_for_own_files_bring_the_page_up(clone: Path) -> None:
    with socket.socket() as probe:
        if probe.connect_ex(("127.0.0.1", 17461)) == 0:
            pytest.skip("somebody listens on 17461, the port of the README")
    *prepare, run = OWN_FILES
    for command in prepare:
        with shell(clone, command) as process:
            said = process.communicate()[0]
        if process.returncode and _NO_INDEX.search(said):
            pytest.skip(f"the package index cannot be reached: {command}")
        assert process.returncode == 0, f"{command}\n{said}"
    with shell(clone, run) as daemon:
        end = time.monotonic() + PATIENCE
        while not pick(parse(page("/metrics")), "sglang_job_done"):
            assert daemon.poll() is None, daemon.communicate()[0]
            assert time.monotonic() < end
        samples, landing = parse(page("/metrics")), page("/")
        os.killpg(daemon.pid, signal.SIGINT)
        assert daemon.wait(10) == 0
    assert pick(samples, "sglang_job_expected") == 88000
    assert pick(samples, "sglang_server_starts_total")
    assert "sglang-exporter" in landing


def test_what_a_debian_needs_before_is_named() -> None:
    assert packages() == "apt-get install make python3-venv"
    assert typed("Try it") == ["make demo"]
    assert typed("Where to read on") == ["make test"]
