"""Writes logs as servers do: `python writer.py FOLDER FILES LINES_PER_SECOND`, until it is stopped.

The throughput of each Decode line is the monotonic clock, so that whoever reads it knows how old it is.
"""

import os
import sys
import time
from pathlib import Path

DECODE = (
    "[2025-07-30 10:15:02 TP0] Decode batch. #running-req: 150, #token: 349707, token usage: 0.93, cuda graph: True, "
    "gen throughput (token/s): {:.2f}, #queue-req: 0, \n"
)
_ACCESS = '[2025-07-30 10:15:03] INFO:     127.0.0.1:51234 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'


def write(folder: Path, files: int, rate: float) -> None:
    """Write to each file so many lines a second, spread over the second, Decode and access lines by turns."""
    opened = [
        os.open(folder / f"server-{number}.log", os.O_WRONLY | os.O_APPEND | os.O_CREAT) for number in range(files)
    ]
    began, written = time.monotonic(), 0
    while True:
        due = int((time.monotonic() - began) * files * rate)
        for number in range(written, due):
            line = _ACCESS if number // files % 2 else DECODE.format(time.monotonic())
            os.write(opened[number % files], line.encode())
        written = due
        time.sleep(max(0.005, 1 / (files * rate)))


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]))
