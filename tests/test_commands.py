"""Each command's flags are in a module of its own, and a command loads no other's."""

import subprocess
import sys
from importlib import import_module

import pytest

from sglang_exporter.cli import COMMANDS

_LOADED = "import sys; from sglang_exporter.cli import parse; parse(sys.argv[1:]); print(*sys.modules)"


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_has_flags_and_can_be_run(name: str) -> None:
    module = import_module(f"sglang_exporter.commands.{name}")
    assert callable(module.add_flags)
    assert callable(module.run)


def test_the_daemon_loads_nothing_of_the_report() -> None:
    loaded = subprocess.run([sys.executable, "-c", _LOADED, "--log", "x"], capture_output=True, text=True, check=True)
    assert "sglang_exporter.serve" in loaded.stdout.split()
    assert not {"rich", "sglang_exporter.report", "sglang_exporter.backfill"} & set(loaded.stdout.split())
