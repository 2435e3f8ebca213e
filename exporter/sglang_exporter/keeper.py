"""Keeps the checkpoint: state and positions of one moment, every few seconds and at the end."""

import logging
from collections.abc import Sequence

import msgspec

from sglang_exporter.checkpoint_file import CheckpointFile
from sglang_exporter.clock import Clock
from sglang_exporter.logs import Throttle
from sglang_exporter.sources.saved import Saved
from sglang_exporter.sources.shared import Shared
from sglang_exporter.sources.source import Group

_LOG = logging.getLogger(__name__)
_PERIOD = 5.0
_LONGEST_WAIT = 60.0


class Keeper:
    """Saves what groups say is to be kept, if anything was read since the last time."""

    def __init__(self, file: CheckpointFile, shared: Shared, clock: Clock) -> None:
        self._file = file
        self._shared = shared
        self._clock = clock
        self._throttle = Throttle(clock)
        self._saved_at = clock.now()
        self._tried_at = clock.now()
        self._read = -1
        self._failing_since: float | None = None

    @property
    def age(self) -> float:
        """Seconds since the checkpoint was as new as the state."""
        return max(0.0, self._clock.now() - self._saved_at)

    @property
    def failing_for(self) -> float:
        """Seconds since the first of the writes that failed and were followed by none that went well."""
        return 0.0 if self._failing_since is None else max(0.0, self._clock.now() - self._failing_since)

    def keep(self, groups: Sequence[Group]) -> None:
        """Save, if it is time to; a line that is held in pieces may be waited for, for a minute at most."""
        now = self._clock.now()
        if not 0 <= now - self._tried_at < _PERIOD and (
            all(group.whole for group in groups) or now - self._saved_at > _LONGEST_WAIT
        ):
            self.save(groups)

    def save(self, groups: Sequence[Group]) -> None:
        """Save now; a disk that is full leaves the checkpoint before, and is told of."""
        self._tried_at = self._clock.now()
        read = sum(source.read for source in self._shared.store.sources.values())
        if read != self._read:
            try:
                self._file.save(self._encoded(groups))
            except OSError as error:
                self._failing_since = self._failing_since or self._tried_at
                trouble = "the checkpoint could not be written"
                self._throttle.warn(_LOG, "checkpoint", trouble, file=self._file.path, why=error.strerror)
                return
        self._read, self._saved_at, self._failing_since = read, self._tried_at, None

    def _encoded(self, groups: Sequence[Group]) -> bytes:
        saved = self._shared.unfollowed()
        for group in groups:
            group.save(saved)
        return msgspec.msgpack.encode(saved)


def load(file: CheckpointFile) -> Saved:
    """Return what was saved before the last restart; empty where nothing was, or nothing of use."""
    payload = file.load()
    if payload is None:
        return Saved()
    try:
        return msgspec.msgpack.decode(payload, type=Saved)
    except msgspec.MsgspecError:
        file.set_aside("its form is not that of this version")
        return Saved()
