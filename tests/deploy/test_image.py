"""The Dockerfile agrees with the package; that it builds and runs needs a container engine."""

import json
import re
from pathlib import Path

import pytest

from sglang_exporter import __version__, cli

ROOT = Path(__file__).parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text(encoding="utf-8")
COPIED = [
    source for line in re.findall(r"^COPY (?!--from)(.*)", DOCKERFILE, re.MULTILINE) for source in line.split()[:-1]
]


def instruction(name: str) -> str:
    """Return what follows the last instruction of that name."""
    found: list[str] = re.findall(rf"^{name} (.*)", DOCKERFILE, re.MULTILINE)
    return found[-1]


def exec_form(text: str) -> list[str]:
    """Return the words of a command in exec form, without the program."""
    program, *words = json.loads(text)
    assert program == "/opt/venv/bin/sglang-exporter"
    return list(words)


def test_version_is_that_of_the_package() -> None:
    assert f"\nARG VERSION={__version__}\n" in DOCKERFILE


@pytest.mark.parametrize("source", COPIED)
def test_build_sees_what_it_copies(source: str) -> None:
    assert (ROOT / source).exists()
    assert f"!{source}" in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()


def test_user_is_a_number_so_that_kubernetes_can_tell_it_is_not_root() -> None:
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", instruction("USER"))


def test_health_check_and_default_command_are_commands_of_the_exporter() -> None:
    cli.parse(exec_form(instruction("HEALTHCHECK").partition("CMD ")[2]))
    cli.parse(exec_form(instruction("ENTRYPOINT")) + json.loads(instruction("CMD")))
