"""The daemon with the root of its container: read-only but for the folder of its state, and for a user who may do nothing."""

import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.contained import NOBODY, USER
from support.exporter import Exporter, pick
from support.servers import prefill

CONTAINED = Path(__file__).parents[1] / "support" / "contained.py"
TOTAL = "sglang_server_prefill_tokens_total"


@pytest.fixture(name="folder")
def _folder() -> Iterator[Path]:
    """Give a folder that everybody may look into, unlike pytest's own."""
    entered = ["unshare", "--mount", *NOBODY, sys.executable, "-c", ""]
    if os.geteuid() or subprocess.run(entered, capture_output=True, check=False).returncode:
        pytest.skip("only root can take its rights away, where namespaces are allowed and all may read this Python")
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "state").mkdir()
        for path in (Path(name), Path(name) / "state"):
            path.chmod(0o755)
        os.chown(Path(name) / "state", USER, USER)
        yield Path(name)


def mounts(exporter: Exporter) -> dict[str, set[str]]:
    """Return the options of each mount that the daemon sees."""
    text = Path(f"/proc/{exporter.pid}/mountinfo").read_text()
    return {
        at: set(options.split(",")) for at, options in re.findall(r"^\S+ \S+ \S+ \S+ (\S+) (\S+)", text, re.MULTILINE)
    }


def test_it_follows_keeps_its_state_and_is_healthy(folder: Path) -> None:
    state, log = folder / "state", folder / "node7.log"
    log.write_text(prefill("10:00:00", new=50) + "\n")
    for tokens in (50, 150):
        with Exporter(folder, "--log", log, checkpoint=state, script=[CONTAINED, state]) as exporter:
            status = Path(f"/proc/{exporter.pid}/status").read_text()
            assert re.findall(r"^Cap(?:Prm|Eff|Bnd):\t(\w+)$", status, re.MULTILINE) == ["0" * 16] * 3
            assert f"Uid:\t{USER}\t" in status
            writable = {at for at, options in mounts(exporter).items() if "rw" in options}
            assert writable == {str(state)}
            exporter.wait(lambda: pick(exporter.page(), TOTAL) == tokens, 20, "the log is read")  # noqa: B023 -- at once
            healthcheck = ["healthcheck", "--web.listen-address", exporter.url.removeprefix("http://")]
            subprocess.run([sys.executable, CONTAINED, state, *healthcheck], check=True, capture_output=True)
            assert exporter.signal(signal.SIGTERM) == 0
        assert "level=warn" not in exporter.log.read_text()
        assert "level=error" not in exporter.log.read_text()
        log.write_text(prefill("10:00:01", new=100) + "\n")
    assert {path.name for path in state.iterdir()} >= {"checkpoint", "lock"}
