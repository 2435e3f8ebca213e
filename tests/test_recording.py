"""A recording's schedule: what is due when, and how its times read then.

tests/data/recording-cut holds 37 seconds of a real SGLang 0.5.23, the end of a load and a shutdown, behind the first
three lines of its log; the texts of its seven records are left out.
"""

import gzip
import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from sglang_exporter.recording import Delivery, RecordingError, find_recording

CUT = Path(__file__).parent / "data/recording-cut"
BEGAN = datetime(2026, 11, 29, 16, 18, 12, tzinfo=UTC)
NOW = datetime(2027, 3, 1, 12, 0, 0, 750_000, tzinfo=UTC)
STAMP = re.compile(rb"\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)")


def schedule(folder: Path, utc_offset: timedelta = timedelta()) -> list[Delivery]:
    return list(find_recording(folder).schedule(NOW.timestamp(), utc_offset))


def lines(folder: Path, name: str = "server.log") -> list[tuple[float, bytes]]:
    return [(after, line) for after, file, line in schedule(folder) if file == name]


def stamp(line: bytes) -> datetime | None:
    found = STAMP.search(line)
    return datetime.fromisoformat(found[1].decode()).replace(tzinfo=UTC) if found else None


def log(tmp_path: Path, *written: bytes) -> Path:
    (tmp_path / "server.log").write_bytes(b"".join(written))
    return tmp_path


def test_every_line_is_due_at_its_time_and_reads_so() -> None:
    original = (CUT / "server.log").read_bytes().splitlines(keepends=True)
    due = lines(CUT)
    assert len(due) == len(original) == 132
    began = NOW.replace(microsecond=0)
    for (after, line), before in zip(due, original, strict=True):
        printed, said = stamp(line), stamp(before)
        assert (printed is None) == (said is None)
        if printed and said:
            assert printed - began == said - BEGAN == timedelta(seconds=after)


def test_nothing_but_the_times_is_changed() -> None:
    original = (CUT / "server.log").read_bytes()
    assert b"".join(STAMP.sub(b"[", line) for _, line in lines(CUT)) == STAMP.sub(b"[", original)


def test_no_time_is_later_than_its_line_is_due() -> None:
    for after, _, line in schedule(CUT):
        printed = stamp(line)
        assert printed is None or printed <= NOW + timedelta(seconds=after)


def test_line_without_a_time_comes_with_the_line_before() -> None:
    due = lines(CUT)
    assert [after for after, _ in due[:4]] == [0, 0, 0, 0]
    leaks = [after for after, line in due if b"leaked" in line]
    assert sorted(set(leaks)) == [35, 36]


def test_time_glued_behind_other_text_is_shifted() -> None:
    (after, line) = next((after, line) for after, line in lines(CUT) if b"refleaks.html[" in line)
    assert after == 36
    assert b"refleaks.html[2027-03-01 12:00:36] kill_process_tree" in line


def test_records_are_due_when_finished_with_all_their_times_shifted() -> None:
    with gzip.open(CUT / "raw_responses.jsonl.gz") as file:
        originals = [json.loads(line) for line in file]
    due = lines(CUT, "raw_responses.jsonl")
    assert len(due) == len(originals) == 7
    shift = NOW.replace(microsecond=0).timestamp() - BEGAN.timestamp()
    for (after, line), original in zip(due, originals, strict=True):
        record = json.loads(line)
        assert after == pytest.approx(original["finished_at"] - BEGAN.timestamp())
        for key in ("submitted_at", "finished_at"):
            assert record.pop(key) == pytest.approx(original.pop(key) + shift, abs=1e-6)
        assert record == original


def test_both_files_come_in_the_order_of_time() -> None:
    due = schedule(CUT)
    assert [delivery.after for delivery in due] == sorted(delivery.after for delivery in due)
    assert {delivery.name for delivery in due[10:20]} == {"server.log", "raw_responses.jsonl"}


def test_printed_times_are_in_the_zone_of_the_host_and_epochs_are_not() -> None:
    here, there = schedule(CUT), schedule(CUT, timedelta(hours=5, minutes=30))
    for at_utc, at_india in zip(here, there, strict=True):
        utc, india = stamp(at_utc.line), stamp(at_india.line)
        if utc and india:
            assert india - utc == timedelta(hours=5, minutes=30)
        else:
            assert at_utc == at_india


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"[2026-01-01 00:00:00.125 TP0] x\n", b"[2027-03-01 12:00:00.125 TP0] x\n"),
        (b"[2026-01-01 00:00:00 DP1 TP2 EP3] x\r\n", b"[2027-03-01 12:00:00 DP1 TP2 EP3] x\r\n"),
        (
            b'{"timestamp": "2026-01-01T00:00:00.5", "rid": "a"}\n',
            b'{"timestamp": "2027-03-01T12:00:00.5", "rid": "a"}\n',
        ),
        (
            b"[2026-01-01 00:00:00] 1767225600.5 2026-01-01 00:00:00\n",
            b"[2027-03-01 12:00:00] 1767225600.5 2026-01-01 00:00:00\n",
        ),
        (b"[2026-01-01 00:00:00] \xff\xfe\n", b"[2027-03-01 12:00:00] \xff\xfe\n"),
        (b"[2026-01-01 00:00:00] no end", b"[2027-03-01 12:00:00] no end"),
        (b"[2026-01-01 00:00:00] [2026-99-99 00:00:00]\n", b"[2027-03-01 12:00:00] [2026-99-99 00:00:00]\n"),
    ],
)
def test_time_is_shifted_as_it_is_written(tmp_path: Path, before: bytes, after: bytes) -> None:
    assert lines(log(tmp_path, before)) == [(0, after)]


def test_time_that_jumps_back_does_not_change_the_order(tmp_path: Path) -> None:
    folder = log(tmp_path, *(b"[2026-01-01 00:00:%02d] x\n" % second for second in (10, 13, 12, 14)))
    assert [(after, line[18:20]) for after, line in lines(folder)] == [(0, b"00"), (3, b"03"), (3, b"02"), (4, b"04")]


@pytest.mark.parametrize("line", [b"broken {\n", b'{"finished_at": null}\n', b'{"finished_at": "1767225600"}\n'])
def test_record_without_a_time_comes_with_the_record_before(tmp_path: Path, line: bytes) -> None:
    known = b'{"created": 1767225601, "finished_at": 1767225602.5}\n'
    (tmp_path / "raw_responses.jsonl").write_bytes(known + line)
    due = lines(tmp_path, "raw_responses.jsonl")
    assert due == [(0.5, b'{"created": 1803902399, "finished_at": 1803902400.5}\n'), (0.5, line)]


def test_key_inside_a_text_is_no_time(tmp_path: Path) -> None:
    record = json.dumps({"text": '"created": 1767225601', "created": 1767225601, "finished_at": 1767225601})
    (tmp_path / "raw_responses.jsonl").write_text(record)
    ((_, line),) = lines(tmp_path, "raw_responses.jsonl")
    assert json.loads(line) == {"text": '"created": 1767225601', "created": 1803902400, "finished_at": 1803902400}


def test_one_of_the_two_files_is_enough(tmp_path: Path) -> None:
    (tmp_path / "server.log.gz").write_bytes(gzip.compress((CUT / "server.log").read_bytes()))
    assert lines(tmp_path) == lines(CUT)


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("other.log", b"x", "neither server.log nor raw_responses.jsonl is there, plain or with .gz"),
        ("server.log", b"no time\n", "no line tells a time"),
        ("server.log", b"", "no line tells a time"),
        ("server.log.gz", b"plain", "server.log.gz: Not a gzipped file"),
        ("server.log.gz", gzip.compress(b"x" * 100, mtime=0)[:-9], "server.log.gz: Compressed file ended before"),
    ],
)
def test_what_cannot_be_replayed_is_named(tmp_path: Path, name: str, content: bytes, reason: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(RecordingError, match=re.escape(str(tmp_path))) as error:
        find_recording(tmp_path)
    assert reason in str(error.value)
