"""The exporter's own log: one line an event, whatever is in it, and no floods."""

import io
import json
import logging
from collections.abc import Iterator

import pytest

from sglang_exporter.clock import FixedClock
from sglang_exporter.logs import Format, Level, Throttle, fields, set_up_logging

LOG = logging.getLogger("sglang_exporter.test")


@pytest.fixture(autouse=True)
def _logging_as_it_was() -> Iterator[None]:
    loggers = logging.getLogger(), logging.getLogger("sglang_exporter"), logging.getLogger("watchdog.observers.inotify")
    before = [(logger.handlers[:], logger.level) for logger in loggers]
    loggers[0].handlers.clear()  # or setting up would close pytest's
    yield
    for logger, (handlers, level) in zip(loggers, before, strict=True):
        logger.handlers[:] = handlers
        logger.setLevel(level)


def lines_at(level: Level, form: Format = "logfmt") -> io.StringIO:
    stream = io.StringIO()
    set_up_logging(level, form, stream)
    return stream


def without_time(line: str) -> str:
    time, _, rest = line.partition(" ")
    assert time.startswith("time=20")
    assert time.endswith("Z")
    return rest


def test_logfmt_line_has_level_logger_message_and_fields() -> None:
    stream = lines_at("info")
    LOG.info("source vanished", extra=fields(source="a", path="/logs/a b.log", bytes=12))
    expected = 'level=info logger=sglang_exporter.test msg="source vanished" source=a path="/logs/a b.log" bytes=12\n'
    assert without_time(stream.getvalue()) == expected


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("plain/path.log", "plain/path.log"),
        ("", '""'),
        ("a=b", '"a=b"'),
        ('say "x"', '"say \\"x\\""'),
        ("two\nlines", '"two\\nlines"'),
        ("\x1b[31m", '"\\u001b[31m"'),
        ("\u2028", '"\\u2028"'),
        ("é", "é"),
        ("\udcff", '"\\udcff"'),
    ],
)
def test_value_never_breaks_the_line(value: str, written: str) -> None:
    stream = lines_at("info")
    LOG.info("x", extra=fields(v=value))
    assert without_time(stream.getvalue()) == f"level=info logger=sglang_exporter.test msg=x v={written}\n"


def test_json_line_is_one_object() -> None:
    stream = lines_at("info", "json")
    LOG.warning("two\nlines %s", "and", extra=fields(bytes=12))
    (line,) = stream.getvalue().splitlines()
    event = json.loads(line)
    assert event.pop("time").endswith("Z")
    assert event == {"level": "warn", "logger": "sglang_exporter.test", "msg": "two\nlines and", "bytes": 12}


@pytest.mark.parametrize("form", ["logfmt", "json"])
def test_traceback_stays_in_the_line(form: Format) -> None:
    stream = lines_at("info", form)
    prompt = "hunter2"
    try:
        int(prompt)
    except ValueError as error:
        LOG.error("collector failed", exc_info=error)  # noqa: TRY400 -- as Throttle does
    (line,) = stream.getvalue().splitlines()
    assert "ValueError" in line
    assert "in test_traceback_stays_in_the_line" in line
    assert "hunter2" not in line


@pytest.mark.parametrize(("level", "shown"), [("debug", 4), ("info", 3), ("warn", 2), ("error", 1)])
def test_level_is_the_least_that_is_shown(level: Level, shown: int) -> None:
    stream = lines_at(level)
    for number in (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR):
        LOG.log(number, "x")
    assert len(stream.getvalue().splitlines()) == shown


@pytest.mark.parametrize(("level", "shown"), [("debug", ["warning", "error"]), ("error", ["error"])])
def test_libraries_speak_from_warnings_up(level: Level, shown: list[str]) -> None:
    stream = lines_at(level)
    for say in ("debug", "info", "warning", "error"):
        getattr(logging.getLogger("watchdog"), say)(say)
    assert [line.rpartition("msg=")[2] for line in stream.getvalue().splitlines()] == shown


def test_that_a_folder_is_watched_no_more_is_no_error() -> None:
    stream = lines_at("debug")
    logging.getLogger("watchdog.observers.inotify").error("called when the thread is inactive")
    assert stream.getvalue() == ""


def test_flood_is_one_line_a_minute_with_a_count() -> None:
    stream, clock = lines_at("info"), FixedClock(1000.0)
    throttle = Throttle(clock)
    for second in (0, 1, 59, 60, 61, 300):
        clock.time = 1000.0 + second
        throttle.warn(LOG, "malformed a", "malformed line", file="a")
    written = [without_time(line).partition("file=")[2] for line in stream.getvalue().splitlines()]
    assert written == ["a", "a held_back=2", "a held_back=1"]


def test_keys_do_not_hold_each_other_back() -> None:
    stream, throttle = lines_at("info"), Throttle(FixedClock())
    for key in ("a", "b", "a"):
        throttle.warn(LOG, key, key)
    assert [line[-1] for line in stream.getvalue().splitlines()] == ["a", "b"]


def test_clock_set_back_does_not_silence() -> None:
    stream, clock = lines_at("info"), FixedClock(1000.0)
    throttle = Throttle(clock)
    throttle.warn(LOG, "a", "x")
    clock.time = 10.0
    throttle.warn(LOG, "a", "x")
    assert len(stream.getvalue().splitlines()) == 2


def test_oldest_key_is_forgotten_when_there_are_too_many() -> None:
    stream, throttle = lines_at("info"), Throttle(FixedClock())
    for number in range(Throttle.MAX_KEYS + 1):
        throttle.warn(LOG, str(number), "x")
    written = len(stream.getvalue().splitlines())
    throttle.warn(LOG, "1", "x")
    assert len(stream.getvalue().splitlines()) == written
    throttle.warn(LOG, "0", "x")
    assert len(stream.getvalue().splitlines()) == written + 1
