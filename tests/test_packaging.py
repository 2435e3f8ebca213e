"""What is installed: the wheel holds its data files, and the lock files name all that it needs and no address."""

import re
import subprocess
import sys
import tomllib
import venv
from importlib.metadata import requires
from pathlib import Path
from zipfile import ZipFile

import msgspec
import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from sglang_exporter.assets import SHIPPED

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


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a wheel as `make dist` builds it: out of the sdist, so that this lacks nothing."""
    folder = tmp_path_factory.mktemp("dist")
    hatch("sdist", ROOT, folder)
    [sdist] = folder.glob("*.tar.gz")
    subprocess.run(["tar", "--extract", "--file", sdist, "--directory", folder], check=True)
    hatch("wheel", folder / sdist.name.removesuffix(".tar.gz"), folder)
    [built] = folder.glob("*.whl")
    return built


def hatch(target: str, source: Path, folder: Path) -> None:
    build = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(folder)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)


def shipped() -> dict[str, bytes]:
    """Return the files of the repository that a wheel has to hold for `assets`, by name."""
    paths = [path for place in SHIPPED for path in [ROOT / place, *(ROOT / place).rglob("*")] if path.is_file()]
    return {path.relative_to(ROOT).as_posix(): path.read_bytes() for path in paths}


def test_wheel_holds_its_data_and_says_that_it_is_typed(wheel: Path) -> None:
    names = ZipFile(wheel).namelist()
    data = ("py.typed", "outputs/presets.yaml", "report/advice.yaml", "report/schema.json")
    assert {f"sglang_exporter/{name}" for name in data} <= set(names)
    assert all(re.match(r"sglang_exporter(-[^/]*\.dist-info)?/", name) for name in names)
    assert {path for path in names if path.startswith("sglang_exporter/assets/")} == {
        f"sglang_exporter/assets/{name}" for name in shipped()
    }


def test_wheel_holds_no_leftovers(wheel: Path) -> None:
    kinds = {Path(name).suffix for name in ZipFile(wheel).namelist() if ".dist-info/" not in name}
    assert kinds == {".py", ".typed", ".yaml", ".yml", ".json", ".md", ".tmpl", ".service", ".css", ".js"}


@pytest.mark.slow
def test_installed_wheel_writes_its_assets_out_and_needs_nothing_of_the_checkout(wheel: Path, tmp_path: Path) -> None:
    """The dependencies are those of this environment, without the editable install that only its .pth file brings in."""
    venv.create(tmp_path / "empty")
    python = tmp_path / "empty/bin/python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, str(wheel)], check=True)
    command = [str(tmp_path / "empty/bin/sglang-exporter"), "assets", "--into", str(tmp_path / "out")]
    dependencies = {"PYTHONPATH": str(Path(msgspec.__file__).parents[1])}
    said = subprocess.run(command, cwd=tmp_path, env=dependencies, check=True, capture_output=True, text=True).stdout
    written = {path.relative_to(tmp_path / "out").as_posix(): path for path in (tmp_path / "out").rglob("*")}
    presets = (ROOT / "exporter/sglang_exporter/outputs/presets.yaml").read_bytes()
    expected = shipped() | {"presets.yaml": presets}
    assert {name: path.read_bytes() for name, path in written.items() if path.is_file()} == expected
    assert said == f"{len(expected)} files in {tmp_path / 'out'}\n"
