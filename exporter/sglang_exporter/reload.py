"""A configuration that changes while we run: at SIGHUP, and when its file changes."""

import logging
from collections.abc import Callable
from pathlib import Path

from sglang_exporter.build import Exporter
from sglang_exporter.config import Config
from sglang_exporter.config_file import ConfigError
from sglang_exporter.logs import fields

_LOG = logging.getLogger(__name__)


class Looks:
    """Looks at a file, at first when this is made: before it is loaded, so that no later change is missed."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._seen = self._look()

    def changed(self) -> bool:
        """Tell whether the file is another than at the last look."""
        before, self._seen = self._seen, self._look()
        return self._seen != before

    def _look(self) -> tuple[int, int, int] | None:
        if self._path is None:
            return None
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_ino, status.st_size, status.st_mtime_ns


class Reloader:
    """Loads the configuration anew; one that is bad leaves the last good one in force.

    `changed` tells whether that on disk is another than before.
    """

    def __init__(self, exporter: Exporter, load: Callable[[], Config], changed: Callable[[], bool]) -> None:
        self._exporter = exporter
        self._load = load
        self.changed = changed

    def reload(self) -> None:
        """Bring the configuration on disk into force, if it is good."""
        try:
            config = self._load()
        except ConfigError as error:
            self._exporter.reload.successful = False
            _LOG.error("the configuration is bad, the last good one stays in force", extra=fields(error=error))
            return
        self._exporter.reload.successful = True
        self._exporter.pipeline.reload(config)
        _LOG.info("the configuration was loaded anew")
