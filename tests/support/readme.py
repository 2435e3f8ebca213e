"""What the README tells a newcomer to type."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"
PAGE = "http://127.0.0.1:17461"


def packages() -> str:
    """Return the command that gives a Debian what the rest needs."""
    [command] = re.findall(r"Debian: `(apt-get install [^`]+)`", README.read_text())
    return str(command)


def typed(section: str) -> list[str]:
    """Return the commands of the first block of a section, as they are typed."""
    text = README.read_text().partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    block = re.search(r"^ {4}.*\n(?: {4}.*\n)*", text, re.MULTILINE)
    assert block, f"the README's section {section} has no command"
    return [line.removeprefix("    ") for line in block[0].splitlines()]
