"""The exporter under an audit hook: `python audited.py FILE serve ...` tells in FILE which files it touches, and how.

A line has the call, the path, and for `open` its flags.
"""

import os
import sys
from pathlib import Path
from typing import Any

from sglang_exporter.cli import main

_CHANGES = ("os.remove", "os.rename", "os.truncate", "os.chmod", "os.chown", "os.utime", "os.link", "os.symlink")


def audit(seen: int) -> None:
    """Write what happens from now on to a descriptor."""

    def hook(call: str, details: tuple[Any, ...]) -> None:
        if call == "open" or call in _CHANGES:
            told = f"{call}\t{details[0]}\t{details[2] if call == 'open' else 0}\n"
        elif call.startswith("fcntl."):
            told = f"{call}\t{Path(f'/proc/self/fd/{details[0]}').readlink()}\t0\n"
        else:
            return
        os.write(seen, told.encode(errors="replace"))

    sys.addaudithook(hook)


if __name__ == "__main__":
    audit(os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND))
    sys.exit(main(sys.argv[2:]))
