"""A newcomer's path on plain Debian: the README's commands, typed exactly, where there is nothing but Python.

    make newcomer

as root makes a Debian of this machine's release with debootstrap, once, from the mirror that apt is set up with here, copies
it, puts a clone into it, and types: what the README has installed, `make demo` until its page is up, the commands for own
files until theirs is, and `make test` to its end. What a machine has of its own to reach the network (certificates,
apt's sources, pip's index) is copied too; nothing else is.
"""

import gzip
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from support.readme import PAGE, README, packages, typed

ROOT = README.parent
KEPT = Path("/var/tmp/sglang-exporter-newcomer")  # noqa: S108 -- for the next time, too
CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt"
APT = ("/etc/apt/sources.list", "/etc/apt/sources.list.d", "/etc/apt/keyrings", "/etc/apt/auth.conf.d")
NETWORK = ("/etc/resolv.conf", "/etc/hosts")
PATIENCE = 300.0
_ENTER = 'mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'


def base() -> Path:
    """Return a plain Debian with Python, made unless it is there."""
    release = platform.freedesktop_os_release()["VERSION_CODENAME"]
    folder = KEPT / release
    if not folder.exists():
        targets = ["apt-get", "indextargets", "--format", "$(RELEASE) $(REPO_URI)"]
        lines = subprocess.run(targets, check=True, capture_output=True, text=True).stdout.splitlines()
        mirror = dict(reversed([line.split() for line in lines]))[release]
        KEPT.mkdir(mode=0o700, exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=KEPT))
        include = "--include=python3,ca-certificates"
        subprocess.run(["debootstrap", "--variant=minbase", include, release, made, mirror], check=True, stdout=2)
        made.chmod(0o755)
        made.rename(folder)
    return folder


@contextmanager
def machine() -> Iterator[Path]:
    """Give a fresh copy of the base that can reach the network as this one can, with a clone in /root."""
    with tempfile.TemporaryDirectory(dir=KEPT) as name:
        root = Path(name) / "root"
        subprocess.run(["cp", "--archive", base(), root], check=True)
        for path in (*APT, *NETWORK):
            if Path(path).exists():
                subprocess.run(
                    ["cp", "--archive", "--dereference", "--no-target-directory", path, f"{root}{path}"], check=True
                )
        shutil.copy(CERTIFICATES, f"{root}{CERTIFICATES}")
        (root / "etc/pip.conf").write_text(f"[global]\ncert = {CERTIFICATES}\n{_index()}")
        subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", ROOT, root / "root/sglang-exporter"], check=True)
        for packed in (ROOT / "deploy/demo/recording").glob("*.gz"):
            (root / "root/sglang-exporter" / packed.stem).write_bytes(gzip.decompress(packed.read_bytes()))
        yield root


def _index() -> str:
    """Return the line of pip's configuration that says where packages are from, where this machine has one."""
    asked = [sys.executable, "-m", "pip", "config", "get", "global.index-url"]
    index = subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
    return f"index-url = {index}\n" if index else ""


def start(root: Path, command: str) -> subprocess.Popen[bytes]:
    """Type a command into the clone; mounts go with it."""
    print(f"$ {command}", flush=True)
    clean = ["env", "--ignore-environment", "HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LANG=C.UTF-8"]
    typed_there = [*clean, "bash", "-c", f"cd ~/sglang-exporter && {command}"]
    enter = ["unshare", "--mount", "sh", "-c", _ENTER, str(root), *typed_there]
    return subprocess.Popen(enter, stdin=subprocess.PIPE, start_new_session=True)


def to_the_end(root: Path, command: str) -> None:
    """Type a command, and yes where it asks."""
    began = time.monotonic()
    process = start(root, command)
    process.communicate(b"y\n")
    assert process.returncode == 0, f"{command}: status {process.returncode}"
    print(f"  {time.monotonic() - began:.0f} s", flush=True)


def until_the_page_is_up(root: Path, command: str) -> None:
    """Type a command that serves, and Ctrl-C when both pages are there."""
    began = time.monotonic()
    process = start(root, command)
    try:
        while not all(shows(path, what) for path, what in (("/metrics", "\nsglang_server_"), ("/", "<html"))):
            assert process.poll() is None, f"{command}: ended with {process.returncode}"
            assert time.monotonic() - began < PATIENCE, f"{command}: no page in time"
            time.sleep(0.5)
        print(f"  page up after {time.monotonic() - began:.0f} s", flush=True)
    finally:
        os.killpg(process.pid, signal.SIGINT)
        process.wait(30)


def shows(path: str, what: str) -> bool:
    """Tell whether a page is there and has something in it."""
    try:
        with urlopen(PAGE + path, timeout=5) as answer:
            return what in answer.read().decode()
    except OSError:
        return False


def main() -> None:
    assert not shows("/metrics", ""), f"somebody listens on {PAGE} already"
    with machine() as root:
        to_the_end(root, "apt-get update --quiet=2")
        to_the_end(root, packages())
        [demo] = typed("Try it")
        until_the_page_is_up(root, demo)
        *prepare, run = typed("Point it at your own files")
        for command in prepare:
            to_the_end(root, command)
        until_the_page_is_up(root, run)
        [test] = typed("Where to read on")
        to_the_end(root, test)
    print("every command of the README does what it says")


if __name__ == "__main__":
    main()
