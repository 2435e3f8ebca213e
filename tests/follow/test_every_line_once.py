"""Whatever happens to a log, each line comes once, and in order: random histories against a model."""

import tempfile
from pathlib import Path

from hypothesis import settings, strategies
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from follow.written import FaultyDisk, Log, read_all
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.discover import Found
from sglang_exporter.follow.stream import Stream

WAIT = 2.0
LENGTHS = strategies.sampled_from([0, 1, 7, 100, 900, 1100, 5000])
BUDGETS = strategies.sampled_from([1, 2, 10, 1000, 1025, 256 << 10])


class Written:
    """One file of the log: its writer, and what a reader of all of it must have got."""

    def __init__(self, path: Path) -> None:
        self.log = Log(path)
        self.lines: list[bytes] = []
        self.partial = b""

    def write(self, content: bytes) -> None:
        self.log.write(content)
        *complete, self.partial = (self.partial + content).split(b"\n")
        self.lines += complete

    def whole(self) -> list[bytes]:
        """Return the lines, the last one even though it has no line feed."""
        return [*self.lines, self.partial] if self.partial else self.lines


class EveryLineOnce(RuleBasedStateMachine):
    """A writer and logrotate at work, a stream that reads when it likes."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "server.log")
        self.clock = FixedClock(1000.0)
        self.disk = FaultyDisk()
        self.serial = 0
        self.late = False
        self.got: list[bytes] = []

    @initialize(history=strategies.booleans(), length=LENGTHS)
    def begin(self, *, history: bool, length: int) -> None:
        self.files = [Written(self.path)]
        self.append(length)
        self.stream = Stream(
            Found(str(self.path), {}, []),
            self.clock,
            from_start_is_history=history,
            rotate_wait=WAIT,
            disk=self.disk,
        )

    @rule(length=LENGTHS)
    def append(self, length: int) -> None:
        self.files[-1].write(self.text(length) + b"\n")

    @rule(length=LENGTHS, lines=strategies.integers(2, 40))
    def append_many(self, length: int, lines: int) -> None:
        self.files[-1].write(b"".join(self.text(length) + b"\n" for _ in range(lines)))

    @rule(length=LENGTHS)
    def append_a_part(self, length: int) -> None:
        self.files[-1].write(self.text(length))

    @rule(budget=BUDGETS)
    def read(self, budget: int) -> None:
        self.got += self.stream.read(budget).lines

    @rule()
    def rotate_by_renaming(self) -> None:
        self.read(1)
        self.files[-1].log.rename(f"server.log-{1_700_000_000 + len(self.files)}")
        self.files.append(Written(self.path))
        self.files[-1].write(self.text(0) + b"\n")
        self.read(1)
        self.late = True

    @precondition(lambda self: self.late)
    @rule(length=LENGTHS)
    def append_late_to_the_renamed_file(self, length: int) -> None:
        self.files[-2].write(self.text(length) + b"\n")

    @rule()
    def truncate_after_reading(self) -> None:
        self.read_to_the_end()
        self.files[-1].log.truncate()
        self.files[-1].partial = b""

    @rule()
    def delete_and_make_again(self) -> None:
        self.read(1)
        self.path.unlink()
        self.read(1)
        self.files.append(Written(self.path))
        self.files[-1].write(self.text(0) + b"\n")
        self.read(1)
        self.late = True

    @rule(seconds=strategies.sampled_from([0.5, WAIT, 3600.0]))
    def let_time_pass(self, seconds: float) -> None:
        self.got += read_all(self.stream)
        self.clock.time += seconds
        self.late = False

    @rule(call=strategies.sampled_from(["stat", "open", "fstat", "pread"]))
    def fail_for_a_moment(self, call: str) -> None:
        self.disk.faults[call] = 5
        self.got += self.stream.read().lines
        self.disk.faults.clear()

    @invariant()
    def nothing_is_missing_doubled_or_out_of_order(self) -> None:
        assert self.got == self.expected()[: len(self.got)]

    def teardown(self) -> None:
        try:
            self.read_to_the_end()
            assert self.got == self.expected()
            last = self.files[-1].partial
            assert self.stream.finish() == ([last] if last else [])
        finally:
            self.stream.close()
            for file in self.files:
                file.log.close()
            self.folder.cleanup()
        assert not self.disk.opened

    def expected(self) -> list[bytes]:
        *old, new = self.files
        return [line for file in old for line in file.whole()] + new.lines

    def read_to_the_end(self) -> None:
        for _ in self.files:
            self.got += read_all(self.stream)
            self.clock.time += WAIT
        self.got += read_all(self.stream)
        self.late = False

    def text(self, length: int) -> bytes:
        """Return a text that was never written before: what is written twice cannot be told apart."""
        self.serial += 1
        number = b"%d." % self.serial
        return number * (1 + length // len(number))


TestEveryLineOnce = EveryLineOnce.TestCase
TestEveryLineOnce.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
