"""The real daemon, killed at random moments while its files are written and rotated: each line is counted once.

KILLS says how many times it is killed, SEED which histories; both are printed.
"""

import os
import random
import signal
from pathlib import Path

import pytest

from follow.world import Content, World
from support.exporter import Exporter, Samples, pick
from support.servers import prefill

KILLS = int(os.environ.get("KILLS", "6"))
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32)))
SPEED = 20.0
LINES, TOKENS = "sglang_exporter_lines_total", "sglang_server_prefill_tokens_total"
RECORDS, DONE, OUTPUT = "sglang_job_records_total", "sglang_job_done", "sglang_job_output_tokens_total"


class Box:
    """A server that logs and a job that writes; what they wrote so far, by the series that must say so."""

    def __init__(self, folder: Path, rng: random.Random) -> None:
        self.world = World(folder, appends=True)
        self.world.create()
        self.outputs = folder / "answers.jsonl"
        self.outputs.touch()
        self.wrote = dict.fromkeys((LINES, TOKENS, RECORDS, OUTPUT), 0)
        self.ids: set[int] = set()
        self.rotations = 0
        self.steps: list[str] = []
        self._rng = rng
        self._rest = b""
        self._read: Content | None = None
        self.log()

    def work(self) -> None:
        """Do one of the things that servers, jobs and logrotate do."""
        step = self._rng.choice(
            (self.log, self.log, self.log_a_part, self.answer, self.rename, self.copy, self.compress)
        )
        self.steps = [*self.steps[-30:], step.__name__]
        step()

    def log(self) -> None:
        for _ in range(self._rng.choice((1, 3, 200))):
            self.log_a_part()
            self.end_the_line()

    def log_a_part(self) -> None:
        self.end_the_line()
        new = self._rng.randrange(1, 1000)
        line = prefill("10:00:00", new=new).encode() + b"\n"
        cut = self._rng.randrange(1, len(line))
        self.world.log.write(line[:cut])
        self._rest = line[cut:]
        self.wrote[TOKENS] += new
        self.wrote[LINES] += 1

    def end_the_line(self) -> None:
        self.world.log.write(self._rest)
        self._rest = b""

    def answer(self) -> None:
        with self.outputs.open("a") as file:
            for _ in range(self._rng.choice((1, 5, 300))):
                number, tokens = self._rng.randrange(1000), self._rng.randrange(1, 100)
                file.write(f'{{"id": {number}, "response": "a", "usage": {{"completion_tokens": {tokens}}}}}\n')
                self.ids.add(number)
                self.wrote[RECORDS] += 1
                self.wrote[OUTPUT] += tokens

    def rename(self) -> None:
        if self.may_rotate():
            self.world.rename()

    def copy(self) -> None:
        if self.may_rotate() and self.world.log.content is self._read:  # nothing tells that an unread one was another
            self.world.copy_and_truncate()

    def compress(self) -> None:
        self.world.compress(2, cut=True)

    def may_rotate(self) -> bool:
        """Tell whether logrotate comes now: never so often that unread lines would leave its last file."""
        self.end_the_line()
        self.rotations += 1
        return self.rotations <= 2 and bool(self.world.log.content.lines)

    def note_that_all_was_read(self) -> None:
        self.rotations = 0
        content = self.world.log.content
        self._read = content if content.lines else None

    def differences(self, page: Samples) -> dict[str, tuple[float, float]]:
        """Return what the page says and what it should, where these differ."""
        is_ = {name: pick(page, name) or 0 for name in self.wrote}
        is_[LINES] = pick(page, LINES, kind="prefill") or 0
        is_[DONE] = pick(page, DONE) or 0
        should = self.wrote | {DONE: len(self.ids)}
        return {name: (value, should[name]) for name, value in is_.items() if value != should[name]}


@pytest.mark.slow
@pytest.mark.timeout(60 + 10 * KILLS)
@pytest.mark.parametrize("glob", ["server.log", "server.log*"])
def test_each_line_is_counted_once_whenever_it_is_killed(tmp_path: Path, glob: str) -> None:
    print(f"SEED={SEED} KILLS={KILLS}")
    rng = random.Random(SEED)
    box = Box(tmp_path, rng)
    flags: list[str | Path] = ["--log", tmp_path / glob, "--outputs", box.outputs]
    saved = tmp_path / "state" / "checkpoint"
    for kill in range(KILLS // 2):
        with Exporter(tmp_path, *flags, checkpoint=saved.parent, speed=SPEED) as exporter:
            exporter.wait(saved.exists, 20, "a checkpoint is there")
            box.steps.append("start")
            assert not box.differences(exporter.page()), f"after kill {kill}: {box.steps}"
            box.note_that_all_was_read()
            for _ in range(rng.randrange(8)):
                box.work()
                exporter.run_on(rng.choice((0, 0.01, 0.1, 0.3)))
            exporter.signal(signal.SIGKILL)
            box.steps.append("kill -9")
        for _ in range(rng.randrange(3)):
            box.work()
        box.end_the_line()
    with Exporter(tmp_path, *flags, checkpoint=saved.parent) as exporter:
        assert not box.differences(exporter.page())
