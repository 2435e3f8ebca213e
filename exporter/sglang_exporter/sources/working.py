"""The names that an output file has in its life: `answers.jsonl.tmp`, `answers.jsonl-async`, `answers.jsonl.gz`."""

import re

_OTHER_NAMES = re.compile(r"(?:-async|\.(?:tmp|part|partial|inprogress|incomplete|gz))$")


def final_path(path: str) -> str:
    """Return the path that a file has when it is finished, and not yet compressed."""
    return _OTHER_NAMES.sub("", path)
