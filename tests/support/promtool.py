"""promtool and amtool run on what is shipped in prometheus/, and the queries of its pages."""

import re
import subprocess
from pathlib import Path

from support.prometheus import binary

SHIPPED = Path(__file__).parents[2] / "prometheus"


def output_of(name: str, *arguments: str | Path) -> str:
    """Return all that the program printed; fail with it when the program found fault."""
    done = subprocess.run([binary(name), *arguments], capture_output=True, text=True, cwd=SHIPPED, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def indented_lines(page: str) -> list[str]:
    """Return the indented lines of a page; one that is indented further goes on with the line before."""
    return [line.strip() for line in re.sub(r"\n {6}", " ", page).split("\n") if line.startswith("    ")]
