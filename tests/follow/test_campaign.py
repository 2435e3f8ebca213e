"""Whatever happens to a log, and whenever the exporter is killed, each line comes once: random histories and a model.

SEQUENCES says how many are tried, SEED which; both are printed, and the same SEED tries the same ones.
"""

import errno
import os
import tempfile
from copy import copy
from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, seed, settings, strategies
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from follow.reusing import FOLDER, ReusingDisk
from follow.world import KEPT, Content, World
from sglang_exporter.clock import FixedClock
from sglang_exporter.follow.chunk import Counts
from sglang_exporter.follow.discover import discover
from sglang_exporter.follow.position import Position
from sglang_exporter.follow.stream import Stream

SEQUENCES = int(os.environ.get("SEQUENCES", "100"))
SEED = int(os.environ.get("SEED", "1"))
WAIT = 2.0
LENGTHS = strategies.sampled_from([0, 1, 7, 100, 900, 1100, 5000])
COMPRESSED = strategies.sampled_from([0, 1, 2])
"""Which of the rotated files is compressed."""
BUDGETS = strategies.sampled_from([1, 2, 10, 1000, 1025, 256 << 10])

Saved = tuple[Position | None, Counts, int]
"""What was on disk at the crash: the position, the counts, and how many lines had been folded."""
NOTHING: Saved = (None, Counts(), 0)


class Campaign(RuleBasedStateMachine):
    """A writer and logrotate at work, a stream that reads when it likes, is killed, and is started again."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = tempfile.TemporaryDirectory(dir=FOLDER)
        self.clock = FixedClock(1000.0)
        self.disk = ReusingDisk(self.folder.name)
        self.got: list[bytes] = []
        self.stream: Stream | None = None
        self.saved = NOTHING
        self.destroyed: set[bytes] = set()
        self.owed: set[bytes] = set()
        self.may_be_late = self.was_late = False
        self.cut_unseen = False
        self.fails = False

    @initialize(
        appends=strategies.booleans(), linked=strategies.booleans(), covers=strategies.booleans(), length=LENGTHS
    )
    def begin(self, *, appends: bool, linked: bool, covers: bool, length: int) -> None:
        self.linked = linked
        self.covers = covers and not linked
        folder = Path(self.folder.name) / "logs"
        self.world = World(folder, appends=appends, linked=linked, created=self.disk.number)
        self.world.create()
        self.append(length)
        self.start()

    # What the writer does

    @rule(length=LENGTHS)
    def append(self, length: int) -> None:
        self.world.log.write(self.world.text(length) + b"\n")

    @rule(length=LENGTHS, lines=strategies.integers(2, 40))
    def append_many(self, length: int, lines: int) -> None:
        self.world.log.write(b"".join(self.world.text(length) + b"\n" for _ in range(lines)))

    @rule(length=LENGTHS)
    def append_a_part(self, length: int) -> None:
        self.world.log.write(self.world.text(length))

    # nothing tells a late line in a file that was never to be read from one in a new file
    @precondition(lambda self: self.may_be_late and (self.stream or self.covers or self.saved[0]))
    @rule(length=LENGTHS)
    def append_late_to_the_renamed_file(self, length: int) -> None:
        self.world.files[-2].write(self.world.text(length) + b"\n")
        self.was_late = True

    # What logrotate and others do

    @rule(compress=COMPRESSED, cut=strategies.booleans())
    def rotate_by_renaming(self, *, compress: int, cut: bool) -> None:
        self.drop_the_oldest()
        self.world.rename()
        self.world.compress(compress, cut=cut)
        self.append(0)
        # what was cut unseen, renamed, written late and dropped looks younger than those renamed after it
        self.may_be_late = compress != 1 and not self.cut_unseen

    @rule(compress=COMPRESSED, cut=strategies.booleans())
    def rotate_by_copying(self, *, compress: int, cut: bool) -> None:
        self.drop_the_oldest()
        self.world.copy_and_truncate()
        self.cut_unseen = True
        self.world.compress(compress, cut=cut)
        self.may_be_late = False

    @rule()
    def truncate(self) -> None:
        self.read(1)
        self.destroy(self.world.log.content)
        self.world.log.truncate()
        self.may_be_late = False

    @rule()
    def delete_and_make_again(self) -> None:
        self.read(1)
        if self.stream is None:
            self.destroy(self.world.log.content)
        self.world.delete()
        self.read(1)
        self.world.create()
        self.append(0)
        self.may_be_late = False

    @rule()
    def replace(self) -> None:
        self.read(1)
        if self.stream is None:
            self.destroy(self.world.log.content)
        self.world.replace()
        self.append(0)
        self.may_be_late = False

    @precondition(lambda self: self.linked)
    @rule()
    def swap_the_symlink(self) -> None:
        self.read(1)
        if self.stream is None:
            self.destroy_what_nothing_leads_to(*self.world.rotated, self.world.log.content)
        self.world.swap_link()
        self.append(0)
        self.may_be_late = False

    @rule(keep=strategies.booleans(), look=strategies.booleans())
    def swap_the_folder(self, *, keep: bool, look: bool) -> None:
        self.read(1)
        for content in (*self.world.left, *self.world.rotated):  # what waits is not open
            self.destroy(content)
        if self.stream is None:
            self.destroy(self.world.log.content)
        self.world.swap_folder(keep=keep)
        if look:
            self.read(1)
        self.world.create()
        self.append(0)
        self.may_be_late = False

    # What the exporter does

    @rule(budget=BUDGETS)
    def read(self, budget: int) -> None:
        self.fails = False
        if self.stream:
            self.got += self.stream.read(budget).lines

    @rule(budget=BUDGETS)
    def read_while_attributes_lag(self, budget: int) -> None:
        self.disk.lags = True
        self.read(budget)
        self.disk.lags = False

    @rule(call=strategies.sampled_from(["stat", "open", "fstat", "pread", "names", "data_start"]), budget=BUDGETS)
    def fail_for_a_moment(self, call: str, budget: int) -> None:
        self.disk.faults[call] = errno.ESTALE
        self.read(budget)
        self.disk.faults.clear()
        self.fails = True

    @rule(seconds=strategies.sampled_from([0.5, WAIT, 3600.0]))
    def let_time_pass(self, seconds: float) -> None:
        if self.stream:
            self.read_to_the_end()
            self.may_be_late = self.was_late = self.cut_unseen = False
        self.clock.time += seconds

    @rule(seconds=strategies.sampled_from([0.5, WAIT, 3600.0]))
    def lose_events(self, seconds: float) -> None:
        if self.fails:  # what fails for as long as that is given up
            self.read(1)
        self.clock.time += seconds
        self.may_be_late = False

    @precondition(lambda self: self.stream)
    @rule()
    def save(self) -> None:
        self.saved = self.state

    @precondition(lambda self: self.stream)
    @rule()
    def reload(self) -> None:
        state = self.state
        self.stop()
        self.start_behind(state)

    @precondition(lambda self: self.stream)
    @rule(keeps_checkpoint=strategies.booleans())
    def crash(self, *, keeps_checkpoint: bool) -> None:
        if not keeps_checkpoint:
            self.saved = NOTHING
        if self.was_late and not (self.saved[0] or self.covers):
            return  # as above: that file is never to be read from now on
        self.got = self.got[: self.saved[2]]
        self.stop()
        self.owed.clear()

    @precondition(lambda self: self.stream is None)
    @rule()
    def start(self) -> None:
        self.start_behind(self.saved)

    # What must be true

    @invariant()
    def nothing_comes_twice_or_out_of_order(self) -> None:
        got = iter(self.got)
        line = next(got, None)
        for written in self.world.lines:
            if line == written:
                line = next(got, None)
        assert line is None, f"{line[:20]!r} is out of order"

    def teardown(self) -> None:
        if self.stream is None:
            self.start()
        assert self.stream
        if not self.world.log.content.whole:  # the writer may not have moved on
            self.append(0)
        try:
            for _ in range(len(self.world.contents) + KEPT):
                self.read_to_the_end()
                self.clock.time += WAIT
            self.nothing_comes_twice_or_out_of_order()
            missing = set(self.world.lines) - set(self.got)
            assert missing <= self.destroyed
            assert bool(self.stream.counts.lost_bytes) >= bool(self.owed & missing), "a loss that was seen is not told"
            assert bool(self.stream.counts.lost_bytes) <= bool(missing), "a loss is told, and there was none"
            assert self.stream.counts.truncations <= len(self.world.contents)
            last = self.world.log.content.partial
            assert self.stream.finish() == ([last] if last else [])
        finally:
            self.stream.close()
            self.world.close()
            self.folder.cleanup()
        assert not self.disk.opened

    @property
    def state(self) -> Saved:
        """What a checkpoint would hold now."""
        assert self.stream
        position = msgspec.msgpack.encode(self.stream.position)
        through_a_file = msgspec.msgpack.decode(position, type=Position | None)
        return through_a_file, copy(self.stream.counts), len(self.got)

    def stop(self) -> None:
        assert self.stream
        self.stream.close()
        self.stream = None
        self.disk.told.clear()
        for content in self.world.gone:
            self.destroy(content)
        self.destroy_what_nothing_leads_to()

    def start_behind(self, saved: Saved) -> None:
        position, counts, _ = saved
        (found,) = discover([f"{self.world.path}*" if self.covers else str(self.world.path)])
        self.stream = Stream(
            found,
            self.clock,
            from_start_is_history=True,
            rotate_wait=WAIT,
            disk=self.disk,
            resume=position,
            counts=copy(counts),
        )
        if position is None:  # which files there are is noted at the first look
            if not self.covers:
                for content in self.world.rotated:
                    self.destroy(content)
            self.read(1)
            self.may_be_late = False

    def read_to_the_end(self) -> None:
        assert self.stream
        for _ in range(1000):
            self.got += self.stream.read().lines
            if not self.stream.behind:
                return
        pytest.fail("reading does not come to an end")

    def drop_the_oldest(self) -> None:
        for content in self.world.rotated[KEPT - 1 :]:
            self.destroy(content)

    def destroy_what_nothing_leads_to(self, *contents: Content) -> None:
        """Note that of the files of earlier runs only that can be read in whose midst the saved position is."""
        for content in (*contents, *self.world.left):
            if content.moved or not set(self.got) & set(content.lines):
                self.destroy(content)

    def destroy(self, content: Content) -> None:
        """Note that what has not been read of a content need not come any more; what was seen of it is to be told of."""
        unread = set(content.whole) - set(self.got) - self.destroyed
        self.destroyed |= unread
        if self.stream and not content.moved:
            told = self.disk.told.get(content.inode, 0)
            self.owed |= unread & {line for line, end in zip(content.lines, content.ends, strict=True) if end <= told}


@pytest.mark.slow
@pytest.mark.timeout(600 + SEQUENCES)  # a history that fails is made small first
def test_campaign() -> None:
    print(f"SEED={SEED} SEQUENCES={SEQUENCES}")
    run_state_machine_as_test(
        seed(SEED)(Campaign),
        settings=settings(
            max_examples=SEQUENCES,
            stateful_step_count=40,
            deadline=None,
            database=None,
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        ),
    )
