"""Asks pip-audit whether advisories are known of what a lock file pins, and never passes for silence what it could not ask.

    PYTHONPATH=tests .venv/bin/python -m support.advisories requirements.lock

exits with 1 where one is known. Where no database is at hand, as offline, it says so and exits with 0.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

SECONDS = 5
_PIP_AUDIT = [
    "--disable-pip",
    "--require-hashes",
    "--format",
    "json",
    "--progress-spinner",
    "off",
    "--timeout",
    str(SECONDS),
]


class Verdict(NamedTuple):
    """The exit status, and what is to be said."""

    status: int
    text: str


def verdict(output: str, complaint: str) -> Verdict:
    """Judge what pip-audit wrote to standard output and standard error."""
    try:
        packages = json.loads(output)["dependencies"]
    except ValueError:
        return _nothing(complaint.strip().rpartition("\n")[2] or "it said nothing")
    unknown = [one["name"] for one in packages if "skip_reason" in one]
    if len(unknown) == len(packages):
        return _nothing(f"the package index tells advisories of none of the {len(packages)} packages")
    advisories = [_advisory(one, each) for one in packages for each in one.get("vulns", [])]
    left = f"; NOT AUDITED: {', '.join(unknown)}" if unknown else ""
    known = f"{len(advisories)} advisories" if advisories else "no advisory"
    lines = [f"pip-audit: {known} known of {len(packages) - len(unknown)} packages{left}", *advisories]
    return Verdict(int(bool(advisories)), "\n".join(lines))


def _nothing(why: str) -> Verdict:
    return Verdict(0, f"pip-audit: NOTHING WAS AUDITED, for no database is at hand: {why}")


def _advisory(package: dict[str, Any], advisory: dict[str, Any]) -> str:
    mended = ", ".join(advisory["fix_versions"]) or "no version"
    return f"  {package['name']} {package['version']}: {advisory['id']}, mended in {mended}"


def main(lock: Path) -> int:
    """Audit a lock file, say what came of it, and return the exit status."""
    command = [sys.executable, "-m", "pip_audit", *_PIP_AUDIT, "--requirement", str(lock)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    status, text = verdict(done.stdout, done.stderr)
    print(text)
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
