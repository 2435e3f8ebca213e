"""A replay writes what is due, when it is due, and stops when asked to."""

import os
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from sglang_exporter.recording import Delivery, find_recording
from sglang_exporter.replay import deliver

CUT = Path(__file__).parent / "data/recording-cut"
DUE = [
    Delivery(0.0, "server.log", b"one\n"),
    Delivery(2.0, "raw_responses.jsonl", b"{}\n"),
    Delivery(2.0, "server.log", b"two\n"),
    Delivery(5.0, "server.log", b"three"),
]
NOW = 1803902400.75
NAMES = ("server.log", "raw_responses.jsonl")


class HandPace:
    """A pace on which sleeping is what makes time go by; looks at the folder at each sleep, and may end it there."""

    def __init__(self, folder: Path, stop_after: float = 1e9, lag: float = 0.0) -> None:
        self.folder = folder
        self.stop_after = stop_after
        self.time = lag
        self.seen: list[tuple[float, dict[str, bytes]]] = []

    def elapsed(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        self.seen.append((self.time, {path.name: path.read_bytes() for path in self.folder.iterdir()}))
        self.time += seconds
        if self.time > self.stop_after:
            raise KeyboardInterrupt


def test_each_line_is_on_disk_when_it_is_due_and_not_before(tmp_path: Path) -> None:
    pace = HandPace(tmp_path)
    deliver(DUE, tmp_path, NAMES, 1.0, pace)
    assert pace.seen == [
        (0.0, {"server.log": b"one\n", "raw_responses.jsonl": b""}),
        (2.0, {"server.log": b"one\ntwo\n", "raw_responses.jsonl": b"{}\n"}),
    ]
    assert pace.time == 5.0
    assert (tmp_path / "server.log").read_bytes() == b"one\ntwo\nthree"


def test_speed_changes_the_delivery(tmp_path: Path) -> None:
    pace = HandPace(tmp_path)
    deliver(DUE, tmp_path, NAMES, 10.0, pace)
    assert [at for at, _ in pace.seen] == [0.0, 0.2]
    assert pace.time == 0.5


def test_late_replay_catches_up(tmp_path: Path) -> None:
    pace = HandPace(tmp_path, lag=3.0)
    deliver(DUE, tmp_path, NAMES, 1.0, pace)
    assert [at for at, _ in pace.seen] == [3.0]
    assert pace.time == 5.0


def test_files_of_a_replay_before_are_emptied_at_the_start(tmp_path: Path) -> None:
    for name in NAMES:
        (tmp_path / name).write_bytes(b"old\n")
    pace = HandPace(tmp_path)
    deliver(DUE, tmp_path, NAMES, 1.0, pace)
    assert pace.seen[0][1] == {"server.log": b"one\n", "raw_responses.jsonl": b""}


def test_interrupted_replay_leaves_whole_lines(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        deliver(DUE, tmp_path / "new", NAMES, 1.0, HandPace(tmp_path / "new", stop_after=3.0))
    assert (tmp_path / "new/server.log").read_bytes() == b"one\ntwo\n"


def replaying(folder: Path, into: Path, speed: float) -> subprocess.Popen[str]:
    """Start a replay in a process of its own, in a zone east of Greenwich."""
    code = (
        "import sys; from pathlib import Path; from sglang_exporter.clock import FixedClock;"
        " from sglang_exporter.replay import replay;"
        f" sys.exit(replay(Path({str(folder)!r}), Path({str(into)!r}), {speed}, FixedClock({NOW})))"
    )
    zone = os.environ | {"TZ": "IST-5:30"}
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, env=zone)


def test_whole_recording_is_written_in_the_time_of_the_host(tmp_path: Path) -> None:
    with replaying(CUT, tmp_path / "new", 1000) as process:
        _, said = process.communicate(timeout=20)
    assert process.returncode == 0
    assert f"replaying server.log and raw_responses.jsonl, 139 lines in 0 s, into {tmp_path / 'new'}\n" in said
    assert said.endswith("sglang-exporter: replay complete\n")
    expected = list(find_recording(CUT).schedule(NOW, timedelta(hours=5, minutes=30)))
    for name in NAMES:
        lines = [line for _, file, line in expected if file == name]
        assert (tmp_path / "new" / name).read_bytes() == b"".join(lines)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_signal_ends_a_replay_with_0(tmp_path: Path, stop: signal.Signals) -> None:
    with replaying(CUT, tmp_path, 0.01) as process:
        assert process.stderr
        assert "replaying" in process.stderr.readline()
        process.send_signal(stop)
        assert process.wait(20) == 0
        assert process.stderr.read() == "sglang-exporter: replay stopped\n"


def test_folder_without_a_recording_is_1_and_named(tmp_path: Path) -> None:
    with replaying(tmp_path / "nowhere", tmp_path, 1) as process:
        _, said = process.communicate(timeout=20)
    assert process.returncode == 1
    assert said.startswith(f"sglang-exporter: {tmp_path / 'nowhere'}: neither server.log nor ")


def test_recording_is_never_replayed_over_itself(tmp_path: Path) -> None:
    log = tmp_path / "server.log"
    log.write_bytes(b"[2026-01-01 00:00:00] x\n")
    with replaying(tmp_path, tmp_path / ".." / tmp_path.name, 1) as process:
        _, said = process.communicate(timeout=20)
    assert process.returncode == 1
    assert said == f"sglang-exporter: {tmp_path}: a recording cannot be replayed into its own folder\n"
    assert log.read_bytes() == b"[2026-01-01 00:00:00] x\n"
