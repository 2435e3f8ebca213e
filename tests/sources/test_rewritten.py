"""Output files that are written anew: what is new in them counts, and a run that is started over counts whole."""

import gzip
import json
import logging
import os
from pathlib import Path
from random import Random

import pytest

from sglang_exporter.config import JobConfig
from sources.followed import Followed, files, job, line
from support.exporter import Samples, pick

COUNTED = ("records_total", "output_tokens_total", "done", "rewrites_total", "restarts_total")


def counted(page: Samples) -> tuple[float, ...]:
    return tuple(job(page, name) for name in COUNTED)


def write(path: Path, *records: tuple[int, int], mode: str = "w") -> None:
    with path.open(mode) as file:
        file.writelines(line(list(record)) + "\n" for record in records)


def plain(path: Path, *tokens: int, mode: str = "w") -> None:
    """Write records without ids."""
    with path.open(mode) as file:
        file.writelines(json.dumps({"response": "x", "completion_tokens": count}) + "\n" for count in tokens)


def many(first: int, last: int) -> list[tuple[int, int]]:
    return [(number, 10 * number) for number in range(first, last)]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "out.jsonl"


@pytest.fixture
def state(tmp_path: Path) -> Path:
    return tmp_path / "state"


def test_records_without_ids_that_are_sorted_count_by_their_number(path: Path) -> None:
    plain(path, 50, 20, 30)
    followed = Followed(str(path))
    assert counted(followed.poll()) == (3, 100, 3, 0, 0)
    plain(path, 20, 30, 40, 50)
    assert counted(followed.poll()) == (4, 140, 4, 1, 0)
    plain(path, 1)
    assert counted(followed.poll()) == (5, 141, 1, 1, 1)


def test_a_file_is_judged_only_when_it_is_written_whole(path: Path) -> None:
    write(path, *many(0, 100))
    followed = Followed(str(path))
    before = counted(followed.poll())
    write(path)
    for start in range(0, 100, 20):
        followed.wait(1.5)
        assert counted(followed.page()) == before
        write(path, *many(start, start + 20), mode="a")
    followed.wait(1.5)
    assert counted(followed.poll()) == (100, before[1], 100, 1, 0)


def test_a_fast_writer_is_given_a_minute_and_a_slow_one_ten_seconds(path: Path) -> None:
    write(path, *many(0, 1000))
    followed = Followed(str(path))
    followed.poll()
    write(path)
    for start in range(0, 1000, 50):
        write(path, *many(start, start + 50), mode="a")
        followed.wait(1.0)
    assert counted(followed.poll()) == (1000, 10 * sum(range(1000)), 1000, 1, 0)
    write(path)
    for number in range(12):
        write(path, (number, 1), mode="a")
        followed.wait(1.0)
    assert job(followed.page(), "restarts_total") == 1
    assert job(followed.poll(), "records_total") == 1012


def test_what_is_rewritten_is_no_rate_and_what_follows_is(path: Path) -> None:
    write(path, *many(0, 50))
    followed = Followed(str(path), JobConfig(files=str(path), name="job", total=1000))
    followed.poll()
    followed.wait(130.0)
    for first in (0, 500):
        write(path, *reversed(many(first, first + 60)))
        page = followed.poll()
        assert pick(page, "sglang_job_completions_per_second", window="2m") == 0
        assert job(page, "eta_timestamp_seconds") == 0
    write(path, *many(560, 572), mode="a")
    assert pick(followed.poll(), "sglang_job_completions_per_second", window="2m") == pytest.approx(0.1)


def test_a_new_run_over_old_ids_counts_whole_and_is_done_anew(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    write(path, *many(0, 10))
    followed = Followed(str(path))
    followed.poll()
    write(path, *many(0, 3))
    with caplog.at_level(logging.INFO):
        assert counted(followed.poll()) == (13, 450 + 30, 3, 0, 1)
    (said,) = [record for record in caplog.records if "anew" in record.getMessage()]
    assert "a new run" in repr(vars(said))
    write(path, *many(3, 9), mode="a")
    assert counted(followed.poll()) == (19, 450 + 360, 9, 0, 1)


def test_a_file_that_moves_out_of_the_folder_is_replaced_by_the_next_one(path: Path, tmp_path: Path) -> None:
    write(path, *many(0, 10))
    followed = Followed(str(path))
    followed.poll()
    (tmp_path / "kept").mkdir()
    path.rename(tmp_path / "kept" / "out.jsonl")
    write(path, *many(0, 2))
    assert counted(followed.poll()) == (12, 460, 2, 0, 1)


@pytest.mark.parametrize("suffix", ["-async", ".tmp", ".part", ".inprogress"])
def test_a_working_file_that_is_renamed_goes_on(path: Path, state: Path, suffix: str) -> None:
    working = path.with_name(path.name + suffix)
    write(working, *many(0, 5))
    followed = Followed(f"{path}*", state=state)
    followed.poll()
    working.rename(path)
    write(path, *many(5, 8), mode="a")
    assert counted(followed.poll()) == (8, 280, 8, 0, 0)
    followed.wait(10.0)
    followed.die()
    path.rename(working)
    write(working, *many(8, 9), mode="a")
    again = Followed(f"{path}*", state=state)
    assert counted(again.poll()) == (9, 360, 9, 0, 0)
    assert files(again.page()) == 1


def test_beside_the_final_file_a_working_one_counts_nothing(path: Path) -> None:
    write(path, *many(0, 5))
    write(path.with_name("out.jsonl-async"), *many(0, 3))
    followed = Followed(f"{path}*")
    page = followed.poll()
    assert counted(page) == (5, 100, 5, 0, 0)
    assert files(page) == 1


def test_the_final_file_that_came_while_nobody_looked_is_compared_by_its_number(path: Path, state: Path) -> None:
    working = path.with_name("out.jsonl-async")
    write(working, *many(0, 5))
    followed = Followed(f"{path}*", state=state)
    followed.poll()
    followed.wait(10.0)
    followed.die()
    write(path, *many(0, 6))
    working.unlink()
    os.utime(path, (followed.clock.now() - 60,) * 2)
    assert counted(Followed(f"{path}*", state=state).poll()) == (6, 150, 6, 1, 0)


def test_a_file_renamed_within_the_glob_goes_on(tmp_path: Path, state: Path) -> None:
    first, second, third = (tmp_path / f"{name}.jsonl" for name in ("running", "done", "kept"))
    write(first, *many(0, 5))
    followed = Followed(f"{tmp_path}/*.jsonl", state=state)
    followed.poll()
    first.rename(second)
    write(second, *many(4, 7), mode="a")
    page = followed.poll()
    assert counted(page) == (8, 250, 7, 0, 0)
    assert files(page) == 1
    followed.wait(10.0)
    followed.die()
    second.rename(third)
    write(third, *many(6, 8), mode="a")
    assert counted(Followed(f"{tmp_path}/*.jsonl", state=state).poll()) == (10, 380, 8, 0, 0)


def test_output_and_error_file_of_a_batch_share_their_ids(tmp_path: Path) -> None:
    good = {
        "custom_id": "a",
        "response": {"status_code": 200, "body": {"usage": {"completion_tokens": 5}, "choices": [{}]}},
    }
    bad = {"custom_id": "a", "response": None, "error": {"message": "expired"}}
    (tmp_path / "batch_error.jsonl").write_text(json.dumps(bad) + "\n")
    followed = Followed(f"{tmp_path}/batch_*.jsonl")
    page = followed.poll()
    assert (job(page, "done"), job(page, "succeeded")) == (1, 0)
    (tmp_path / "batch_output.jsonl").write_text(
        json.dumps(good) + "\n" + json.dumps({**good, "custom_id": "b"}) + "\n"
    )
    page = followed.poll()
    assert (job(page, "done"), job(page, "succeeded"), job(page, "duplicates_total")) == (2, 2, 1)


def test_a_document_without_a_line_feed_that_is_written_anew_each_time(path: Path) -> None:
    records = [{"id": number, "response": "x", "completion_tokens": 10} for number in range(8)]
    followed = Followed(str(path))
    for count in (3, 5, 8):
        path.write_text(json.dumps(records[:count]))
        page = followed.poll(idle=True)
        followed.wait(3.0)
        page = followed.page()
        assert (job(page, "records_total"), job(page, "done")) == (count, count)
    assert job(page, "rewrites_total") == 2


def test_a_last_line_of_an_idle_file_belongs_to_its_history(path: Path) -> None:
    path.write_text(line([1, 10]))
    followed = Followed(str(path))
    os.utime(path, (followed.clock.now() - 60,) * 2)
    followed.wait(0.0)
    assert job(followed.page(), "records_total") == 1
    followed.wait(200.0)
    assert pick(followed.page(), "sglang_job_completions_per_second", window="2m") == 0


def test_a_half_record_is_not_taken_however_long_it_waits(path: Path) -> None:
    path.write_text(line([1, 10]) + "\n" + line([2, 20])[:-3])
    followed = Followed(str(path))
    followed.poll(idle=True)
    assert job(followed.poll(idle=True), "records_total") == 1
    with path.open("a") as file:
        file.write(line([2, 20])[-3:])
    assert job(followed.poll(), "malformed_lines_total") == 0
    assert job(followed.poll(idle=True), "records_total") == 2


def test_a_file_that_was_deleted_stays_done_after_a_restart(path: Path, state: Path) -> None:
    write(path, *many(0, 5))
    followed = Followed(f"{path.parent}/*.jsonl", state=state)
    followed.poll()
    followed.wait(10.0)
    path.unlink()
    followed.poll()
    followed.wait(10.0)
    followed.die()
    write(path.with_name("next.jsonl"), *many(0, 1))
    again = Followed(f"{path.parent}/*.jsonl", state=state)
    assert counted(again.poll()) == (6, 100, 6, 0, 0)


@pytest.mark.parametrize("wait", [20.0, 200.0])
def test_a_deleted_file_is_not_held_for_long_and_the_next_one_is_in_its_place(path: Path, wait: float) -> None:
    write(path, *many(0, 10))
    followed = Followed(str(path))
    followed.poll()
    path.unlink()
    followed.poll()
    followed.wait(wait)
    links = [os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")]  # noqa: PTH208
    assert any(str(path) in link for link in links) is (wait < 60)
    followed.wait(100.0)
    assert counted(followed.page()) == (10, 450, 10, 0, 0)
    write(path, *many(0, 12))
    assert counted(followed.poll()) == (12, 660, 12, 1, 0)
    write(path, *many(20, 22), mode="a")
    assert counted(followed.poll()) == (14, 660 + 410, 14, 1, 0)


def test_a_deleted_file_that_comes_back_after_a_restart_is_compared(path: Path, state: Path) -> None:
    write(path, *many(0, 10))
    followed = Followed(str(path), state=state)
    followed.poll()
    path.unlink()
    followed.poll()
    followed.wait(200.0)
    followed.wait(10.0)
    followed.die()
    write(path, *reversed(many(0, 12)))
    os.utime(path, (followed.clock.now() - 300,) * 2)
    assert counted(Followed(str(path), state=state).poll()) == (12, 660, 12, 1, 0)


def test_rewritten_while_nobody_looked_it_is_compared_by_its_number(path: Path, state: Path) -> None:
    write(path, *reversed(many(0, 10)))
    followed = Followed(str(path), state=state)
    followed.poll()
    followed.wait(10.0)
    followed.die()
    write(path, *many(0, 12))
    os.utime(path, (followed.clock.now() - 60,) * 2)
    again = Followed(str(path), state=state)
    assert counted(again.poll()) == (12, 660, 12, 1, 0)
    write(path, *many(10, 14), mode="a")
    page = again.poll()
    assert (job(page, "done"), job(page, "duplicates_total")) == (14, 2)


@pytest.mark.parametrize("glob", ["out.jsonl", "out.jsonl*"])
@pytest.mark.parametrize("packed", [False, True])
def test_ids_are_rebuilt_from_rotated_files(path: Path, state: Path, glob: str, packed: bool) -> None:  # noqa: FBT001
    write(path, *many(0, 5))
    followed = Followed(f"{path.parent}/{glob}", state=state)
    followed.poll()
    rotated = path.with_name("out.jsonl.1")
    path.rename(rotated)
    write(path, *many(5, 8))
    followed.poll()
    assert counted(followed.poll()) == (8, 280, 8, 0, 0)
    followed.wait(10.0)
    followed.die()
    if packed:
        Path(f"{rotated}.gz").write_bytes(gzip.compress(rotated.read_bytes(), mtime=0))
        os.utime(f"{rotated}.gz", (rotated.stat().st_mtime,) * 2)
        rotated.unlink()
    again = Followed(f"{path.parent}/{glob}", state=state)
    assert counted(again.poll()) == (8, 280, 8, 0, 0)
    write(path, *many(2, 10), mode="a")
    page = again.poll()
    assert counted(page) == (16, 280 + 440, 10, 0, 0)
    assert job(page, "duplicates_total") == 6


def pack(path: Path, *records: tuple[int, int], cut: int = 0) -> None:
    content = gzip.compress("".join(line(list(record)) + "\n" for record in records).encode())
    path.write_bytes(content[: len(content) - cut])


def test_a_file_that_is_compressed_in_the_end_counts_nothing_again(path: Path) -> None:
    write(path, *many(0, 5))
    followed = Followed(f"{path}*")
    followed.poll()
    pack(Path(f"{path}.gz"), *many(0, 5))
    assert counted(followed.poll()) == (5, 100, 5, 0, 0)
    path.unlink()
    assert counted(followed.poll()) == (5, 100, 5, 1, 0)
    assert files(followed.page()) == 1


def test_a_compressed_file_that_grows_is_read_anew_and_has_no_rate(path: Path) -> None:
    packed = Path(f"{path}.gz")
    pack(packed, *many(0, 500), cut=8)
    followed = Followed(str(packed))
    followed.poll()
    assert job(followed.page(), "records_total") == 500
    for number, cut in ((700, 8), (800, 0)):
        pack(packed, *many(0, number), cut=cut)
        followed.wait(61.0)
        page = followed.poll()
        assert job(page, "records_total") == job(page, "done") == number
    assert counted(page) == (800, 10 * sum(range(800)), 800, 2, 0)
    followed.wait(200.0)
    assert pick(followed.page(), "sglang_job_completions_per_second", window="2m") is None
    assert job(followed.page(), "records_total") == 800


class Story:
    """A file, its exporter, and what must be told of both by a count in plain Python."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.random = Random(seed)
        self.path = folder / "out.jsonl"
        self.folder = folder
        self.content: list[tuple[int, int]] = []
        self.rotated: list[list[tuple[int, int]]] = []
        self.seen: set[int] = set()
        self.work = self.next = 0
        self.tokens = 0
        self.followed = Followed(str(self.path), state=folder / "state")

    def new(self, most: int = 5) -> list[tuple[int, int]]:
        self.next += 1000
        return [(self.next + number, self.random.randrange(1, 99)) for number in range(self.random.randint(1, most))]

    def count(self, records: list[tuple[int, int]]) -> None:
        self.work += len(records)
        self.tokens += sum(tokens for _, tokens in records)

    def append(self) -> None:
        old = self.random.sample(self.content, min(1, len(self.content)))
        records = [*self.new(), *old]
        write(self.path, *records, mode="a")
        self.content += records
        self.count(records)

    def sort(self, *, replace: bool) -> None:
        more = self.new() if self.random.random() < 0.5 else []
        self.count(more)
        self.content = sorted({*dict(self.content).items(), *more})
        self._write_anew(replace=replace)

    def start_over(self, *, replace: bool) -> None:
        again = self.content[: (len({key for key, _ in self.content}) - 1) // 2]
        kept = {key for key, _ in self.content}
        self.content = again + ([] if 2 * len(dict(again)) >= len(kept) else self.new())
        self.count(self.content)
        self._write_anew(replace=replace)

    def rotate(self) -> None:
        for number in range(len(self.rotated), 0, -1):
            self.path.with_name(f"out.jsonl.{number}").rename(self.path.with_name(f"out.jsonl.{number + 1}"))
        self.path.rename(self.path.with_name("out.jsonl.1"))
        self.rotated.insert(0, self.content)
        self.content = self.new()
        write(self.path, *self.content)
        self.count(self.content)

    def restart(self) -> None:
        self.followed.wait(10.0)
        self.followed.die()
        for what in self.random.sample([self.append, self.rotate], self.random.randrange(3)):
            what()
        self.followed = Followed(str(self.path), state=self.folder / "state")

    def step(self) -> str:
        anew = self.random.random() < 0.5
        choice = self.random.choice(["append", "append", "sort", "start over", "rotate", "restart"])
        if not self.content or choice == "append":
            self.append()
        elif choice == "sort":
            self.sort(replace=anew)
        elif choice == "start over" and len({key for key, _ in self.content}) > 2:
            self.start_over(replace=anew)
        elif choice == "rotate" and len(self.rotated) < 5:
            self.rotate()
        elif choice == "restart":
            self.restart()
        return f"{choice}, replaced" if anew else choice

    def _write_anew(self, *, replace: bool) -> None:
        path = self.path.with_name("new") if replace else self.path
        write(path, *self.content)
        path.replace(self.path)


@pytest.mark.parametrize("seed", range(12))
def test_any_story_like_a_plain_count(tmp_path: Path, seed: int) -> None:
    story = Story(tmp_path, seed)
    told = []
    for _ in range(15):
        told.append(story.step())
        page = story.followed.poll()
        done = {key for content in (story.content, *story.rotated) for key, _ in content}
        found = (job(page, "records_total"), job(page, "output_tokens_total"), job(page, "done"))
        assert found == (story.work, story.tokens, len(done)), told
