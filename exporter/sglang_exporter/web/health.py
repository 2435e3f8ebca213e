"""Whether the threads that matter do their work, and whether what was there at start has been read; with the reason."""

import threading
import time
from collections.abc import Callable

from sglang_exporter.follow.waker import Waker
from sglang_exporter.keeper import Keeper
from sglang_exporter.pipeline import Pipeline

_LONGEST_ROUND = 60.0
_LONGEST_UNSAVED = 120.0
_MOST_NAMED = 3


class Health:
    """Looks at the loop, at watchdog's threads and at the checkpoint. `beat` is to be called in each round of the loop.

    What it says goes to peers: names of sources, and no path. Seconds are those of `monotonic`.
    """

    def __init__(
        self,
        pipeline: Pipeline,
        waker: Waker,
        keeper: Keeper | None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.loop: threading.Thread | None = None
        self._pipeline = pipeline
        self._waker = waker
        self._keeper = keeper
        self._monotonic = monotonic
        self._beaten_at = monotonic()
        self._deaf_since: float | None = None

    def beat(self) -> None:
        """Say that a round begins; dead watches were to be renewed in the one before."""
        self._beaten_at = self._monotonic()
        if self._waker.alive():
            self._deaf_since = None
        elif self._deaf_since is None:
            self._deaf_since = self._beaten_at

    def unhealthy(self) -> str | None:
        """Return what does not work; None when all is well."""
        now = self._monotonic()
        if self.loop is None or not self.loop.is_alive():
            return "the loop that follows files has ended"
        if now - self._beaten_at > _LONGEST_ROUND:
            return f"the loop that follows files is stuck since {now - self._beaten_at:.0f} s"
        if self._pipeline.trouble:
            return f"the last round of the loop failed: {self._pipeline.trouble}"
        if self._deaf_since is not None and now - self._deaf_since > _LONGEST_ROUND:
            return "watchdog's threads have ended, and are not renewed"
        if self._keeper and self._keeper.failing_for > _LONGEST_UNSAVED:
            return f"the checkpoint could not be written for {self._keeper.failing_for:.0f} s"
        return None

    def unready(self) -> str | None:
        """Return what is still read of what was there at start; None when all was."""
        reading = self._pipeline.reading
        if reading is None:
            return "files are still looked for"
        if not reading:
            return None
        more = f" and {len(reading) - _MOST_NAMED} more" if len(reading) > _MOST_NAMED else ""
        return f"still reading {', '.join(reading[:_MOST_NAMED])}{more}"
