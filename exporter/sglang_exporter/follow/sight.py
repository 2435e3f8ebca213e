"""What is at the path of a log, compared with the files that are held: new, renamed away and back, or as it was."""

import errno
import os

from sglang_exporter.clock import Clock
from sglang_exporter.follow.disk import Disk, Identity, identity_of, require_regular, trouble
from sglang_exporter.follow.held import HeldFile
from sglang_exporter.follow.still import Still
from sglang_exporter.follow.succession import Succession

_MISSING = (errno.ENOENT, errno.ENOTDIR)


class Sight:
    """The path of a log, and the `files` that were found there; with `history` the first one's content is that."""

    def __init__(self, path: str, clock: Clock, files: Succession, disk: Disk, *, history: bool) -> None:
        self.path = path
        self.files = files
        self.still = False
        """Whether the last look found the file as it was, by its status alone."""
        self._clock = clock
        self._history = history
        self._disk = disk
        self._looked = False
        self._still = Still(clock)
        self._status: os.stat_result | None = None
        self._told: os.stat_result | None = None
        """The status, where it is that of the only file that is held."""
        self._size_at_path = 0
        self._path_error: str | None = None

    def look(self) -> None:
        """Compare what is at the path with what is held, and open what is new."""
        try:
            self._look()
            self._path_error = None
        except OSError as error:
            self._path_error = trouble(self.path, error)
            self._history = self._history and error.errno not in _MISSING
            self.still, self._status, self._told = False, None, None
        self._looked = True

    def _look(self) -> None:
        status = self._status = require_regular(self._disk.stat(self.path))
        self.still = self._still.has(status)
        if self.still:
            return
        self._size_at_path = status.st_size
        identity = identity_of(status)
        self._told = status if self._is_only(identity) else None
        if self._told:  # as nearly always
            return
        held = next((held for held in self.files.held if held.identity == identity), None)
        if held is None:
            replaced = self.files.held[:-1]
            self.files.take_up(self.path, identity, history=self._history)
            self._history = False
            for held in self.files.held:
                if held not in replaced:
                    held.quiet_since = self._clock.now()
        elif held.broken:
            held.reopen(self.path)
        elif held is self.files.parts[-1]:
            if held is not self.files.parts[0]:  # it may be cut before its turn comes
                self.files.refresh(held, self.path)
        else:  # renamed away, and back
            self.files.parts.remove(held)
            self.files.parts.append(held)

    def _is_only(self, identity: Identity) -> bool:
        """Tell whether there is but the one file, and nothing is wrong with it."""
        part = self.files.parts[0] if len(self.files.parts) == 1 else None
        return isinstance(part, HeldFile) and part.identity == identity and not part.broken
