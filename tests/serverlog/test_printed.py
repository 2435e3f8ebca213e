"""The quick reading of times says the same as the decoder, line by line, out of every wrapper."""

import gzip
from pathlib import Path

import pytest

from sglang_exporter.serverlog.decoder import LogDecoder
from sglang_exporter.serverlog.printed import PrintedTimes
from support.recordings import RECORDINGS

LINES = sorted((Path(__file__).parent / "lines").glob("*.log"))
LOGS = sorted(RECORDINGS.glob("*/server.log.gz"))
DECODE = "Decode batch, #running-req: 4, #token: 500, token usage: 0.50, gen throughput (token/s): 1.00, #queue-req: 0"


@pytest.mark.parametrize("path", [*LINES, *LOGS], ids=lambda path: f"{path.parent.name}-{path.name}")
def test_times_are_those_of_the_events(path: Path) -> None:
    lines = (gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()).split(b"\n")
    decoder, printed = LogDecoder({}, {}), PrintedTimes()
    found = 0
    for line in lines:
        events, time = list(decoder.decode(line)), printed.read(line)
        if events:
            assert time == events[-1].time, line[:80]
            found += time is not None
    assert found or path.name == "0.1.16.log"  # which prints no times


@pytest.mark.parametrize(
    "form",
    [
        "{}",
        "server-1  | {}",
        "(SGLangEngine pid=7, ip=10.0.0.1) {}",
        "2026-11-29T10:00:00.000000001Z stderr F {}",
        "Nov 29 10:00:00 box sglang[123]: {}",
        "Capturing batches:  50%|###  | 2/4\r{}",
    ],
)
def test_times_in_wrappers(form: str) -> None:
    assert PrintedTimes().read(form.format(f"[2026-11-29 10:00:07 TP0] {DECODE}").encode()) == "2026-11-29T10:00:07"


def test_times_of_a_logger_of_the_users_own() -> None:
    line = f"2026-11-29 10:00:07,123 - sglang.srt.managers.scheduler - INFO - {DECODE}"
    assert PrintedTimes().read(line.encode()) == "2026-11-29T10:00:07"


def test_a_line_in_pieces_tells_its_time_with_the_last() -> None:
    printed = PrintedTimes()
    head = "2026-11-29T10:00:00.000000001Z stderr"
    assert printed.read(f"{head} P [2026-11-29 10:00:07 TP0] {DECODE[:20]}".encode()) is None
    assert printed.read(f"{head} F {DECODE[20:]}".encode()) == "2026-11-29T10:00:07"
