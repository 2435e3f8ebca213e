"""Whether a file is as it was, told by its status alone: that is all that most looks at most files are for."""

import os

from sglang_exporter.clock import Clock

_SURE = 2.0
"""Seconds, far more than between two times that a file system can tell apart."""
_LONGEST = 30.0


class Still:
    """What the status of a file was when its bytes were looked at last, and there was nothing new.

    Of two changes within one tick of the file system's clock the second shows in no status. So the bytes are looked at
    until two seconds after the status was new, and again each half a minute, whatever the status.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._known: tuple[int, ...] = ()
        self._since = self._looked = 0.0
        self._sure = False

    def has(self, status: os.stat_result) -> bool:
        """Tell whether a file of that status needs no look at its bytes."""
        return self._sure and _told(status) == self._known and 0 <= self._clock.now() - self._looked < _LONGEST

    def look(self, status: os.stat_result, *, found: bool) -> None:
        """Note that the bytes were looked at after the status was told, and whether there was anything to be done."""
        if found:
            self._known, self._sure = (), False
            return
        told = _told(status)
        now = self._looked = self._clock.now()
        if told != self._known:
            self._known, self._since = told, now
        self._since = min(self._since, now)  # the clock may be set back
        self._sure = now - self._since >= _SURE


def _told(status: os.stat_result) -> tuple[int, ...]:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
