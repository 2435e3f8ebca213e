"""What is installed: the wheel holds its data files, and the lock files name all that it needs and no address."""

import re
import subprocess
import sys
import tomllib
from importlib.metadata import requires
from pathlib import Path
from zipfile import ZipFile

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIME = PROJECT["project"]["dependencies"]
DEVELOPMENT = PROJECT["project"]["optional-dependencies"]["dev"]
BUILD = PROJECT["build-system"]["requires"]

LOCKS = {
    "requirements.lock": RUNTIME,
    "requirements-build.lock": [*BUILD, "editables"],
    "requirements-dev.lock": [*RUNTIME, *DEVELOPMENT, *BUILD, "editables"],
}


def locked(name: str) -> dict[str, Requirement]:
    """Return a lock file's requirements that hold on this machine, by name; each has its hashes."""
    text = (ROOT / name).read_text(encoding="utf-8")
    entries = re.findall(r"^([^#\s].*?) \\\n((?: +--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)", text, re.MULTILINE)
    assert len(entries) == len(re.findall(r"^[^#\s]", text, re.MULTILINE)), "an entry has no hash"
    found = [Requirement(entry) for entry, _ in entries]
    return {canonicalize_name(one.name): one for one in found if one.marker is None or one.marker.evaluate()}


def closure(requirements: list[str]) -> dict[str, list[Requirement]]:
    """Return what the requirements need, and what that needs, by name, as the installed packages say."""
    needed: dict[str, list[Requirement]] = {}
    waiting = list(map(Requirement, requirements))
    while waiting:
        one = waiting.pop()
        if one.marker is None or one.marker.evaluate({"extra": ""}):
            name = canonicalize_name(one.name)
            if name not in needed:
                waiting += map(Requirement, requires(name) or [])
            needed.setdefault(name, []).append(one)
    return needed


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_holds_what_is_needed_and_nothing_else(lock: str) -> None:
    needed = closure(LOCKS[lock])
    assert locked(lock).keys() == needed.keys()
    for name, pinned in locked(lock).items():
        [pin] = pinned.specifier
        assert pin.operator == "=="
        assert all(wish.specifier.contains(pin.version) for wish in needed[name]), name


@pytest.mark.parametrize("lock", LOCKS)
def test_lock_names_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8")
    assert not re.search(r"https?:|index|\.(org|com|io)\b", text)


def test_locks_agree_with_each_other() -> None:
    everything = locked("requirements-dev.lock")
    assert all(everything[name] == pin for lock in LOCKS for name, pin in locked(lock).items())


def test_wheel_holds_its_data_and_says_that_it_is_typed(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    [wheel] = tmp_path.glob("*.whl")
    names = ZipFile(wheel).namelist()
    data = ("py.typed", "outputs/presets.yaml", "report/advice.yaml", "report/schema.json")
    assert {f"sglang_exporter/{name}" for name in data} <= set(names)
    assert all(re.match(r"sglang_exporter(-[^/]*\.dist-info)?/", name) for name in names)
