"""The exporter under a clock that runs fast: `python fast.py SPEED serve ...`, for replays that do too.

`SPEED@START` has the clock run fast since START, in seconds since the epoch, so that several of them show the same time.
"""

import sys
import time

from sglang_exporter.cli import main


class FastClock:
    """The host's clock at the start, and then `speed` seconds for each of its seconds."""

    def __init__(self, speed: float, start: float) -> None:
        self._start = start
        self._speed = speed

    def now(self) -> float:
        return self._start + (time.time() - self._start) * self._speed


if __name__ == "__main__":
    speed, _, start = sys.argv[1].partition("@")
    sys.exit(main(sys.argv[2:], FastClock(float(speed), float(start or time.time()))))
