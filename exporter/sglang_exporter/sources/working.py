"""The names that output files have while they are written: `answers.jsonl-async`, `answers.jsonl.tmp`."""

import re

_WORKING = re.compile(r"(?:-async|\.(?:tmp|part|partial|inprogress|incomplete))$")


def final_path(path: str) -> str:
    """Return the path that a file has when it is finished; its own where that is no working name."""
    return _WORKING.sub("", path)
