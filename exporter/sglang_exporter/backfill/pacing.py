"""Every source given a stream of the past to read from, and what is to be said of where its times are from."""

import time
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime

from sglang_exporter.backfill.answers import Answers, answers
from sglang_exporter.backfill.dating import Doubts, TimeOf, Written, chunks, log_as_written, records_as_written
from sglang_exporter.backfill.logdates import LogDates, log_dates
from sglang_exporter.backfill.paced import PacedStream
from sglang_exporter.backfill.recorddates import RecordTimes, SpreadTimes, survey
from sglang_exporter.build import build
from sglang_exporter.clock import Clock, FixedClock
from sglang_exporter.config import Config
from sglang_exporter.config_file import ConfigError
from sglang_exporter.follow.piped import PipedStream
from sglang_exporter.follow.stream import Stream
from sglang_exporter.once import Nobody
from sglang_exporter.pipeline import Pipeline
from sglang_exporter.serverlog.stamps import Zone
from sglang_exporter.sources.followed import LogSource
from sglang_exporter.sources.output import OutputSource

Say = Callable[[str], None]

_NOTABLE = 5.0
_ZONES = {
    "configured": "as configured",
    "found": "as its last line and the file's last change tell",
    "host": "this host's: give another one as `timezone` in --config.file",
}


class Pacing:
    """Puts a paced stream into each source of a pipeline; to see how files tell time, some are read once more."""

    def __init__(self, config: Config, clock: Clock, say: Say) -> None:
        self._config = config
        self._clock = clock
        self._say = say
        self._doubts: dict[str, Doubts] = {}
        self._answers: Answers | None = None

    def pace(self, pipeline: Pipeline) -> None:
        """Have every source read what its files hold when the clock shows the time at which it was written."""
        for source, twin in zip(pipeline.sources, _sources(self._config), strict=True):
            doubts = self._doubts[source.stream.path] = Doubts()
            if isinstance(source, LogSource) and isinstance(twin, LogSource):
                self._pace_log(source, twin, doubts)
            elif isinstance(source, OutputSource) and isinstance(twin, OutputSource):
                self._pace_outputs(source, twin, doubts)
            twin.stream.close()

    def tell_doubts(self) -> None:
        """Say what speaks against the times that files told."""
        for path, doubts in self._doubts.items():
            if doubts.most > _NOTABLE:
                self._say(
                    f"{path}: {doubts.lines:,} lines tell a time before that of the line ahead of them, by up to "
                    f"{doubts.most:,.0f} s: they count when the line ahead of them does"
                )
            if doubts.ahead > _NOTABLE:
                self._say(
                    f"{path}: its last line tells a time {doubts.ahead:,.0f} s after the file last changed: all its "
                    "times may be off by so much, as in another zone"
                )

    def _pace_log(self, source: LogSource, twin: LogSource, doubts: Doubts) -> None:
        dates = log_dates(chunks(_file(twin), torn_tail=True), source.zone)
        parts = chunks(_file(source), torn_tail=True)
        self._put(source, log_as_written(parts, dates.time_of, dates.first, doubts), _of_log(dates, source.zone))

    def _pace_outputs(self, source: OutputSource, twin: OutputSource, doubts: Doubts) -> None:
        found = survey(chunks(_file(twin), torn_tail=False), twin.new_reader())
        parts, reader = chunks(_file(source), torn_tail=False), source.new_reader()
        time_of: TimeOf = RecordTimes(reader)
        first, said = found.first, "times are those of its records"
        if first is None and found.answered and (told := self._all_answers()):
            time_of, first = SpreadTimes(reader, told, found.answered), told.times[0]
            said = (
                f"its records have no times: the {found.answered:,} with a completion are spread over those of "
                f"{told.total:,} {told.told} in the log"
            )
        elif first is None:
            first = found.mtime
            said = (
                f"neither its records nor a log tell when requests were over: all of it counts at {_shown(first)}, "
                "when the file last changed"
            )
        self._put(source, records_as_written(parts, time_of, first, doubts), said)

    def _put(self, source: LogSource | OutputSource, lines: Iterator[Written], said: str) -> None:
        stream = PacedStream(_file(source), lines, self._clock)
        source.stream = stream
        if stream.due is not None:
            self._say(f"{stream.path}: {said}")

    def _all_answers(self) -> Answers | None:
        if self._answers is None:
            self._answers = answers(_logs(self._config))
        return self._answers if self._answers.total else None


def _file(source: LogSource | OutputSource) -> Stream:
    """Return the stream of a source; raises ConfigError for standard input, which can't be read once more."""
    if isinstance(source.stream, PipedStream):
        raise ConfigError("standard input has no past to go back to: backfill reads files")
    return source.stream


def _sources(config: Config) -> list[LogSource | OutputSource]:
    """Return sources that have read nothing yet."""
    pipeline = build(config, FixedClock(time.time()), Nobody()).pipeline
    pipeline.discover()
    return [source for source in pipeline.sources if isinstance(source, LogSource | OutputSource)]


def _logs(config: Config) -> Iterator[Iterable[Written]]:
    """Yield the dated lines of each log."""
    for source, twin in zip(_sources(config), _sources(config), strict=True):
        if isinstance(source, LogSource):
            dates = log_dates(chunks(_file(twin), torn_tail=True), source.zone)
            yield log_as_written(chunks(_file(source), torn_tail=True), dates.time_of, dates.first, Doubts())
        for stream in (source.stream, twin.stream):
            stream.close()


def _of_log(dates: LogDates, zone: Zone) -> str:
    if not dates.told:
        return f"no line tells a time: all of it counts at {_shown(dates.first)}, when the file last changed"
    return f"begins at {_shown(dates.first)}; the zone of its times is {_ZONES[zone.origin]}"


def _shown(at: float) -> str:
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"
