"""What the exporter says on standard error: one line an event, and never the same trouble more than once a minute."""

import json
import logging
import threading
import traceback
from collections import OrderedDict
from datetime import UTC, datetime
from typing import Literal, NamedTuple, TextIO, get_args

from sglang_exporter.clock import Clock

Level = Literal["debug", "info", "warn", "error"]
Format = Literal["logfmt", "json"]
LEVELS: tuple[Level, ...] = get_args(Level)
FORMATS: tuple[Format, ...] = get_args(Format)

_LEVELS: dict[Level, int] = {
    "debug": logging.DEBUG,
    "info": logging.INFO,
    "warn": logging.WARNING,
    "error": logging.ERROR,
}
_NAMES = {number: name for name, number in _LEVELS.items()}
_ATTRIBUTE = "fields"


def set_up_logging(level: Level, form: Format, stream: TextIO | None = None) -> None:
    """Write our events from `level` up, and of libraries at most warnings, to `stream`, else to standard error."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(LogfmtFormatter() if form == "logfmt" else JSONFormatter())
    logging.basicConfig(handlers=[handler], level=max(_LEVELS[level], logging.WARNING), force=True)
    logging.getLogger("sglang_exporter").setLevel(_LEVELS[level])
    logging.getLogger("watchdog.observers.inotify").setLevel(logging.CRITICAL)  # to it, to stop watching is an error


def fields(**values: object) -> dict[str, dict[str, object]]:
    """Return the `extra` of a logging call: `log.info("listening", extra=fields(address=":17461"))`."""
    return {_ATTRIBUTE: values}


class LogfmtFormatter(logging.Formatter):
    """One line `time=... level=info logger=... msg="..." key=value`; whatever would break the line is escaped."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        return " ".join(f"{key}={_logfmt_value(value)}" for key, value in _event(record).items())


class JSONFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        return json.dumps(_event(record), default=str)


def _event(record: logging.LogRecord) -> dict[str, object]:
    time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
    event: dict[str, object] = {
        "time": time.replace("+00:00", "Z"),
        "level": _NAMES.get(record.levelno, record.levelname.lower()),
        "logger": record.name,
        "msg": record.getMessage(),
    }
    event.update(getattr(record, _ATTRIBUTE, {}))
    if record.exc_info and record.exc_info[1]:
        event.update(_without_words(record.exc_info[1]))
    return event


def _without_words(error: BaseException) -> dict[str, object]:
    """Return kind and place of an error, and none of its words: they may quote a prompt."""
    kind = error.strerror if isinstance(error, OSError) and error.strerror else type(error).__name__
    return {"error": kind, "traceback": "".join(traceback.format_tb(error.__traceback__))}


def _logfmt_value(value: object) -> str:
    text = str(value)
    if text.isprintable() and text and not any(character in text for character in ' "=\\'):
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


class _Said(NamedTuple):
    """When a key was last written, in seconds since the epoch, and how many of its lines were held back since."""

    at: float
    held: int


class Throttle:
    """Warnings that may come in floods: one line a key a minute, and the next one says how many were held back.

    It may be used from several threads. Keys belong to a known few (a source, a path, a kind of trouble); of more than
    `MAX_KEYS` the oldest is forgotten.
    """

    PERIOD = 60.0
    MAX_KEYS = 1000

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._said: OrderedDict[str, _Said] = OrderedDict()

    def warn(
        self, log: logging.Logger, key: str, message: str, error: BaseException | None = None, **values: object
    ) -> None:
        """Write the warning unless `key` was written less than a minute ago; `error` adds its traceback."""
        with self._lock:
            held = self._held_back(key)
        if held is None:
            return
        if held:
            values["held_back"] = held
        log.warning(message, exc_info=error, extra=fields(**values))

    def _held_back(self, key: str) -> int | None:
        """Return how many lines were held back since the last one, or None if this one is to be held back too."""
        now = self._clock.now()
        said = self._said.get(key)
        if said and 0 <= now - said.at < self.PERIOD:
            self._said[key] = _Said(said.at, said.held + 1)
            return None
        self._said[key] = _Said(now, 0)
        self._said.move_to_end(key)
        if len(self._said) > self.MAX_KEYS:
            self._said.popitem(last=False)
        return said.held if said else 0
