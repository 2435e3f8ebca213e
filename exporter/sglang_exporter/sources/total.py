"""The total of a job out of other files: the lines of its prompts, or a number in a JSON document."""

import glob
import logging
from pathlib import Path
from typing import NamedTuple

from sglang_exporter.config import TotalConfig
from sglang_exporter.follow.disk import trouble
from sglang_exporter.logs import fields
from sglang_exporter.sources.counting import NoCountError, Pieces, count_lines, number_at

_LOG = logging.getLogger(__name__)
_PERIOD = 60.0


class _Counted(NamedTuple):
    """What a file was like when its lines were counted, and how many there were."""

    signature: tuple[int, int, int]
    lines: int


class Total:
    """The total of one data set, looked at again each minute; a file is counted again if it has changed.

    `value` is None where there is none, which is said once.
    """

    def __init__(self, config: int | TotalConfig | None, dataset: str) -> None:
        self.value = config if isinstance(config, int) else None
        self._config = config if isinstance(config, TotalConfig) else None
        self._dataset = dataset
        self._counted: dict[str, _Counted] = {}
        self._looking: Pieces | None = None
        self._looked: float | None = None
        self._problem: str | None = None

    @property
    def busy(self) -> bool:
        """Whether something is left to be counted."""
        return self._config is not None and (self._looked is None or self._looking is not None)

    def advance(self, now: float) -> bool:
        """Count a piece, if it is time to; tell whether the value was looked at anew."""
        if self._looking is None:
            if self._config is None or (self._looked is not None and 0 <= now - self._looked < _PERIOD):
                return False
            self._looked = now
            self._looking = self._count(self._config)
        try:
            next(self._looking)
        except StopIteration as end:
            self._end(end.value or None, None)
        except NoCountError as error:
            self._end(None, str(error))
        return self._looking is None

    def _end(self, value: int | None, problem: str | None) -> None:
        self.value, self._looking = value, None
        if problem and problem != self._problem:
            _LOG.warning("no total can be told", extra=fields(dataset=self._dataset, why=problem))
        self._problem = problem

    def _count(self, config: TotalConfig) -> Pieces:
        if config.json is not None:
            yield
            return number_at(config.json.replace("{dataset}", self._dataset), config.path, self._dataset)
        texts = [config.lines] if isinstance(config.lines, str) else config.lines or []
        patterns = [text.replace("{dataset}", glob.escape(self._dataset)) for text in texts]
        paths = sorted({path for pattern in patterns for path in glob.glob(pattern, recursive=True)})  # noqa: PTH207
        if not paths:
            raise NoCountError(f"no file matches {', '.join(patterns)}")
        lines = 0
        for path in paths:
            lines += yield from self._lines_of(path)
        return lines * (config.times or 1)

    def _lines_of(self, path: str) -> Pieces:
        try:
            status = Path(path).stat()
        except OSError as error:
            raise NoCountError(trouble(path, error)) from error
        signature = status.st_ino, status.st_size, status.st_mtime_ns
        known = self._counted.get(path)
        if known is None or known.signature != signature:
            known = self._counted[path] = _Counted(signature, (yield from count_lines(path)))
        return known.lines
