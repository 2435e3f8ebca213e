"""Debian's Chromium without a window: what it makes of a page, and what it complains about."""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest

_CONSOLE = re.compile(r"^\[.*:CONSOLE[:(]\d+\)?\] (.*)$", re.MULTILINE)
_FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--enable-logging=stderr")
PATIENCE = 60.0


class Looked(NamedTuple):
    """The document as it is when the time is over, and the lines of the console, of which a good page has none."""

    dom: str
    console: list[str]


def look(url: str, seconds: float = 1.0, width: int = 1440, *, dark: bool = False) -> Looked:
    """Open a page and let so many seconds of the browser's own time go by, which are over much sooner."""
    time, size = f"--virtual-time-budget={seconds * 1000:.0f}", f"--window-size={width},900"
    scheme = f"--blink-settings=preferredColorScheme={0 if dark else 1}"
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        flags = [*_FLAGS, f"--user-data-dir={Path(profile)}", time, size, scheme]
        done = subprocess.run(
            [_chromium(), *flags, "--dump-dom", url], capture_output=True, text=True, timeout=PATIENCE, check=True
        )
    return Looked(done.stdout, _CONSOLE.findall(done.stderr))


def _chromium() -> str:
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("chromium is not installed: apt-get install -y chromium")
    return path
