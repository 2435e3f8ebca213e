"""What an output file holds: what its records come to, and which requests are done by them."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from sglang_exporter.config import Unit
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.ids import Ids
from sglang_exporter.state.tally import Counts, add, tally, zeros


class Folded(NamedTuple):
    """What records add: to the counts, and to what is done."""

    counts: Counts
    done: int


class Content(Struct, dict=True):
    """The records of a file, as far as it was read. All of it can be stored, but the ids.

    `counts` is what they come to, `keyless` what those of them come to that have no id; what is 0 is left out.
    """

    counts: Counts = {}
    keyless: Counts = {}
    done_without_id: int = 0
    good_without_id: int = 0
    lost_done: int = 0
    lost_good: int = 0
    """What is done by ids that are not known any more: their file was gone when they were to be read again."""

    def __post_init__(self) -> None:
        self.ids = Ids()

    @property
    def done(self) -> int:
        """Records (or completions) that are over with."""
        return self.ids.done + self.lost_done + self.done_without_id

    @property
    def good(self) -> int:
        """What of it is done well, by the last record of each id."""
        return self.ids.good + self.lost_good + self.good_without_id

    def fold(self, records: Iterable[Record], unit: Unit, others: Sequence[Ids] = ()) -> Folded:
        """Take in records that were read; `others` are ids that they share with other files."""
        keyed, keyless = zeros(), zeros()
        others = [ids for ids in others if len(ids)]
        before = self._done_with(others)
        for record in records:
            sign = -1 if record.withdrawn else 1
            counts = keyed if record.keys or record.key is not None else keyless
            if record.keys:
                counts["duplicates"] += self._settle_all(record.keys, others)
            elif record.settles and self._settle(record, sign, unit, others):
                counts["duplicates"] += sign
                if record.once:
                    continue
            tally(record, counts, sign)
        if keyless != zeros():
            add(self.keyless, keyless)
            add(keyed, keyless)
        add(self.counts, keyed)
        return Folded(keyed, self._done_with(others) - before)

    def recall(self, record: Record, unit: Unit) -> None:
        """Take in the id of a record that was folded before a restart."""
        if record.settles and record.key is not None:
            self._settle(record, -1 if record.withdrawn else 1, unit, ())

    def stored(self) -> "Content":
        """Return what is to be stored of it: of the ids, how many there are."""
        lost_done, lost_good = self.lost_done + self.ids.done, self.lost_good + self.ids.good
        return replace(self, lost_done=lost_done, lost_good=lost_good)

    def recalled(self) -> None:
        """End to take in ids again: those that were not found are lost."""
        self.lost_done = max(0, self.lost_done - self.ids.done)
        self.lost_good = max(0, self.lost_good - self.ids.good)

    def absorb(self, other: "Content") -> None:
        """Take in what is done by another content."""
        self.ids.update(other.ids)
        self.done_without_id += other.done_without_id
        self.good_without_id += other.good_without_id
        self.lost_done += other.lost_done
        self.lost_good += other.lost_good

    def _done_with(self, others: Sequence[Ids]) -> int:
        return self.ids.done + self.done_without_id + sum(ids.done for ids in others)

    def _settle(self, record: Record, sign: int, unit: Unit, others: Sequence[Ids]) -> bool:
        """Note what is done by a record; tell if its id is there already (or gone, when it is withdrawn)."""
        key = record.key
        done, good = worth(record, unit)
        if key is None:
            self.done_without_id += sign * done
            self.good_without_id += sign * good
            return False
        if sign < 0:
            return not self.ids.forget(key)
        if record.once and (key in self.ids or any(key in ids for ids in others)):
            return True
        return self._decide(key, done, good, others)

    def _settle_all(self, keys: Sequence[int], others: Sequence[Ids]) -> int:
        """Note records that were done well; return how many of their ids are there already."""
        if others:
            return sum([self._decide(key, 1, 1, others) for key in keys])
        settle = self.ids.settle
        return sum([settle(key, 1, 1) for key in keys])

    def _decide(self, key: int, done: int, good: int, others: Sequence[Ids]) -> bool:
        """Let a record decide its id; tell whether that was there already."""
        repeated = self.ids.settle(key, done, good)
        for ids in others:
            repeated = ids.forget(key) or repeated
        return repeated


def worth(record: Record, unit: Unit) -> tuple[int, int]:
    """Return how much is done by a record, and how much of it well."""
    good = record.completions
    if unit == "records" and not record.errors:
        return record.number, record.number
    failed = sum(number for _, number in record.errors) if record.errors else 0
    if unit == "records":
        return 1, int(good > 0 or not failed)
    return good + failed, good
