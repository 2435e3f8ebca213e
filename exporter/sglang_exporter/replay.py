"""A recorded run written out again as if it happened now: for demos, and for tests of the whole exporter."""

import signal
import sys
import time
from collections.abc import Iterable
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Protocol

from sglang_exporter.clock import Clock
from sglang_exporter.recording import Delivery, Recording, RecordingError, find_recording


class Pace(Protocol):
    """What a replay waits by."""

    def elapsed(self) -> float:
        """Return the seconds since the replay began."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait; KeyboardInterrupt ends the replay."""
        ...


class SystemPace:
    """The host's time."""

    def __init__(self) -> None:
        self._began = time.monotonic()

    def elapsed(self) -> float:
        """Return the seconds since this was built."""
        return time.monotonic() - self._began

    def sleep(self, seconds: float) -> None:
        """Wait."""
        time.sleep(seconds)


def replay(folder: Path, into: Path, speed: float, clock: Clock) -> int:
    """Write the recording in `folder` into folder `into`, `speed` times as fast as it happened; return the exit code.

    SIGINT and SIGTERM end it, with exit code 0 as well; 1 if the recording cannot be read or the files not be written.
    """
    for stop in (signal.SIGINT, signal.SIGTERM):
        signal.signal(stop, signal.default_int_handler)
    try:
        _replay(folder, into, speed, clock)
    except KeyboardInterrupt:
        _say("replay stopped")
    except (RecordingError, OSError) as error:
        _say(str(error))
        return 1
    return 0


def _replay(folder: Path, into: Path, speed: float, clock: Clock) -> None:
    recording = find_recording(folder)
    if into.resolve() == folder.resolve():
        raise RecordingError(f"{folder}: a recording cannot be replayed into its own folder")
    for name in recording.names:
        if (into / name).exists():
            raise RecordingError(f"{into / name} is there already; a replay writes into a folder without it")
    _say(f"replaying {_summary(recording, speed)} into {into}")
    now = clock.now()
    utc_offset = datetime.fromtimestamp(now, UTC).astimezone().utcoffset() or timedelta()
    deliver(recording.schedule(now, utc_offset), into, recording.names, speed, SystemPace())
    _say("replay complete")


def _summary(recording: Recording, speed: float) -> str:
    lines, seconds = 0, 0.0
    for delivery in recording.schedule(0, timedelta()):
        lines += 1
        seconds = delivery.after
    return f"{' and '.join(recording.names)}, {lines} lines in {seconds / speed:.0f} s,"


def _say(text: str) -> None:
    print(f"sglang-exporter: {text}", file=sys.stderr, flush=True)  # noqa: T201 - a message to the user


def deliver(schedule: Iterable[Delivery], into: Path, names: Iterable[str], speed: float, pace: Pace) -> None:
    """Write every line of the schedule when it is due; the files `names` are there, and empty, from the start."""
    into.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        files = {name: stack.enter_context((into / name).open("wb")) for name in names}
        for delivery in schedule:
            delay = delivery.after / speed - pace.elapsed()
            if delay > 0:
                pace.sleep(delay)
            files[delivery.name].write(delivery.line)
            files[delivery.name].flush()
