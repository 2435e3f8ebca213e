"""The unit of deploy/systemd is one that systemd accepts and holds for safe, and starts a command that there is."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from sglang_exporter import cli

UNIT = Path(__file__).parents[2] / "deploy/systemd/sglang-exporter.service"
TEXT = UNIT.read_text(encoding="utf-8")
[COMMAND] = re.findall(r"^ExecStart=(.*)$", TEXT, re.MULTILINE)


@pytest.fixture
def unit(tmp_path: Path) -> Path:
    """Return the unit with the program of this environment, for systemd looks for it."""
    program, *_ = shlex.split(COMMAND)
    (tmp_path / UNIT.name).write_text(TEXT.replace(program, str(Path(sys.executable).parent / "sglang-exporter")))
    return tmp_path / UNIT.name


def analyze(*arguments: str) -> str:
    """Return what systemd-analyze complains of; its status says whether it does."""
    path = shutil.which("systemd-analyze")
    assert path, "systemd-analyze is not installed: apt-get install -y systemd"
    done = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}" if done.returncode else done.stderr


def test_systemd_accepts_the_unit(unit: Path) -> None:
    assert analyze("verify", str(unit)) == ""


def test_systemd_holds_the_sandbox_for_safe(unit: Path) -> None:
    """Of ten points of exposure at most two: reading files and answering the network are what it is for."""
    assert analyze("security", "--offline=true", "--no-pager", "--threshold=20", str(unit)) == ""


def test_systemd_holds_the_unit_for_exposed_without_its_sandbox(unit: Path) -> None:
    unit.write_text(re.sub(r"^(?:Protect|Private|Restrict|SystemCall|Capability).*\n", "", TEXT, flags=re.MULTILINE))
    assert analyze("security", "--offline=true", "--no-pager", "--threshold=20", str(unit))


def test_the_command_is_one_of_the_exporter() -> None:
    program, *arguments = shlex.split(COMMAND)
    assert Path(program).name == "sglang-exporter"
    cli.parse(arguments)


def test_the_start_time_of_the_process_can_be_told() -> None:
    """It is computed from /proc/stat, which ProcSubset=pid hides: it would silently be a time of 1970."""
    assert not re.search(r"^ProcSubset=", TEXT, re.MULTILINE)
