"""A file that was written anew, until it is known what that is: the same job, or a run that was started over."""

from collections.abc import Sequence

from sglang_exporter.config import Unit
from sglang_exporter.outputs.record import Record
from sglang_exporter.state.content import Content
from sglang_exporter.state.ids import Ids
from sglang_exporter.state.tally import Counts, add, surplus

_QUIET, _LONG, _LONGEST = 2.0, 10.0, 60.0


class Rewriting:
    """What is read of a file in the place of its old content.

    It is a new run if under half of the old records are still there: by id, those without one by their number. Else
    work is only what has an id that was not seen before, and of records without id what there is more of each count.
    """

    def __init__(self, old: Content) -> None:
        self.new = Content()
        self.newest = 0.0
        """When the file last changed, in seconds since the epoch."""
        self._old = old
        self._fresh: Counts = {}
        self._kept = 0

    def fold(self, records: Sequence[Record], unit: Unit, others: Sequence[Ids]) -> None:
        """Take in records of the new content; `others` are ids that they share with other files."""
        seen = (self._old.ids, *others)
        fresh = [record for record in records if record.key is not None and not any(record.key in ids for ids in seen)]
        rest = [record for record in records if record.key is None or any(record.key in ids for ids in seen)]
        add(self._fresh, self.new.fold(fresh, unit).counts)
        before = len(self.new.ids)
        self.new.fold(rest, unit)
        self._kept += len(self.new.ids) - before

    def is_whole(self, quiet: float, elapsed: float) -> bool:
        """Tell whether it can be decided, when nobody has written for `quiet` seconds and it began `elapsed` ago.

        One that is still written may become what it was, if it goes on as fast for a minute in all.
        """
        records = self.new.counts.get("records", 0)
        if elapsed >= _LONGEST:
            return True
        if quiet >= _QUIET and records:
            return True
        return elapsed >= _LONG and records * _LONGEST / elapsed < self.wanted / 2

    @property
    def is_new_run(self) -> bool:
        """Whether under half of the old records are still there."""
        return 2 * self.kept < self.wanted

    @property
    def wanted(self) -> int:
        """Old records, each id once."""
        return len(self._old.ids) + _number(self._compared(self._old))

    @property
    def kept(self) -> int:
        """Old records that are still there."""
        old, new = self._compared(self._old), self._compared(self.new)
        return self._kept + min(_number(old), _number(new))

    @property
    def work(self) -> Counts:
        """What is to be counted of it."""
        if self.is_new_run:
            return dict(self.new.counts)
        counts = surplus(self._compared(self.new), self._compared(self._old))
        if not self._is_blind:
            add(counts, self._fresh)
        return counts

    @property
    def _is_blind(self) -> bool:
        """Whether the ids of the old content are not known: it was rewritten while nobody looked."""
        return not len(self._old.ids) and self._old.counts != self._old.keyless

    def _compared(self, content: Content) -> Counts:
        """Return the counts that are compared as such."""
        return content.counts if self._is_blind else content.keyless


def _number(counts: Counts) -> int:
    return int(counts.get("records", 0))
